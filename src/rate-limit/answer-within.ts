/**
 * The answer, or a rejection when it has not come in time. After the timer one more turn of the event loop is granted:
 * when this process itself was busy for so long, the answer lies in the socket already and is read in that turn.
 */
export function answerWithin<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    void answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
