import type { ServiceProcess } from '../../test/support/service-process';
import type { Sql } from '../../test/support/test-database';
import type { AttackedShop } from './attack-trial';
import type { Attacker } from './attacker';
import type { Random } from '../../test/support/random';

/** The tools of an attack. */
export interface Scene {
  /** Its sequence depends on the seed and on the name of the attack. */
  readonly random: Random;
  readonly attacker: Attacker;
  /** The shop whose keys the attacker holds. */
  readonly shop: AttackedShop;
  readonly service: ServiceProcess;
  /** As the owner of the tables. */
  readonly sql: Sql;
  /** How long the attack should last. */
  readonly seconds: number;
  /** A run of a minute or two, for CI. */
  readonly isShort: boolean;
  /** False when the time is over, or when the service has died. */
  isRunning(): boolean;
  /** Reports something that must not happen; the verdict is then negative. */
  fail(problem: string, example?: string): void;
  /** Reports something worth mentioning in the table. */
  note(text: string): void;
}

/** One class of attacks: a generator of malicious variants, and what they must not cause. */
export interface Attack {
  readonly name: string;
  /** What the attacker does, for the table. */
  readonly what: string;
  /** Replaces the attack's usual time, in seconds. */
  readonly seconds?: { readonly full: number; readonly short: number };
  /** How often it is repeated, with a calm period before each time and after the last; once without this. */
  readonly rounds?: number;
  /**
   * Replaces the usual bound on the other shops' 95th percentile; 'calm' is 5 times that of the calm periods and 50 ms,
   * times the slowdown by other programs.
   */
  readonly p95BoundMilliseconds?: number | 'calm';
  /** Prepares what is not part of the attack, such as rows; takes as long as it needs. */
  prepare?(scene: Scene): Promise<void>;
  run(scene: Scene): Promise<void>;
}
