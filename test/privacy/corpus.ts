import corpus from './corpus.json';

/** Spellings of an e-mail address, each with what it is. None of them may be in an answer, a table or the log. */
export const spellings = corpus.spellings as unknown as readonly [what: string, text: string][];

/** Texts of shops that look like addresses to someone in a hurry. They stay as they are. */
export const innocentTexts: readonly string[] = corpus.innocentTexts;
