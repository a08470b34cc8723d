/**
 * The answer, or a rejection when it does not arrive in time. After the timer it waits one more turn of the event loop:
 * if this process itself was blocked for so long, the answer is already in the socket and is read in that turn.
 */
export function answerWithin<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    void answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
