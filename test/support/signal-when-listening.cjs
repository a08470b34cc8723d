/**
 * For `--require`: signals the process during the write that announces that it listens, as its fastest reader could.
 */
const { SIGNAL_WHEN_LISTENING: signal } = process.env;
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk, ...rest) => {
  const result = write(chunk, ...rest);
  if (/"listening on /.test(String(chunk))) process.kill(process.pid, signal);
  return result;
};
