import type { FormatName } from '../../src/ingest/formats/descriptions';
import texts from './format-samples.json';

/** A table as the first file of its platform would be, in which every column of one kind of value occurs. */
export const samples: Readonly<Record<FormatName, string>> = texts;
