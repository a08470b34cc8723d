import type { FormatName } from '../../src/ingest/formats/descriptions';
import texts from './format-samples.json';

/** A table as the first file of its platform might be, with each column of one kind of value. */
export const samples: Readonly<Record<FormatName, string>> = texts;
