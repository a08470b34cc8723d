import corpus from './corpus.json';

/** Spellings of an e-mail address, each with its name. None may appear in a response, a table or the log. */
export const spellings = corpus.spellings as unknown as readonly [what: string, text: string][];

/** Texts of shops that look like addresses at a glance. They must stay unchanged. */
export const innocentTexts: readonly string[] = corpus.innocentTexts;
