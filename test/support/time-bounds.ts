import { SharedTime } from './machine-share';

/** The time bounds promised to clients: for any answer, and from the end of a fault to the last refusal. */
export const answerBoundMilliseconds = 1_500;
export const recoveryBoundMilliseconds = 2_000;

let time = new SharedTime();

/** To be called before the measurement: other programs on the machine count from here on. */
export const startTimeBounds = (): void => void (time = new SharedTime());

/** Whether it took no longer than promised, or than it may on a machine that other programs use as well. */
export const isWithin = (milliseconds: number, bound: number): boolean => milliseconds <= time.allow(bound);
