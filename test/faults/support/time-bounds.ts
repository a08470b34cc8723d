import { SharedTime } from '../../support/machine-share';

/** What clients are promised: how long any answer takes, and from when on after a fault nothing is refused any more. */
export const answerBoundMilliseconds = 1_500;
export const recoveryBoundMilliseconds = 2_000;

let time = new SharedTime();

/** To be called before what is measured: other programs on the machine count from here on. */
export const startTimeBounds = (): void => void (time = new SharedTime());

/** Whether it took no longer than promised, or than it may on a machine that other programs use as well. */
export const isWithin = (milliseconds: number, bound: number): boolean => milliseconds <= time.allow(bound);
