import { parser as createParser, type SAXOptions, type Tag } from 'sax';
import { ImportError } from '../../values/import-error';

/** The events of an XML document while it is read. Names have no prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  /** A part of a text; a long text arrives in several. */
  text?(text: string): void;
  close?(name: string): void;
}

/** The location shown in errors. */
interface XmlLocation {
  readonly file: string;
  /** The part of the workbook, and how far it was read. */
  part(): string;
}

export type Attributes = Readonly<Record<string, string | undefined>>;

/** Workbooks nest ten deep. */
const maxDepth = 100;

/**
 * The size of one tag, comment, entity or other markup, in characters. Everything that the parser holds until it can
 * pass it on counts, because the parser itself needs some thirty bytes for each of these characters. Spreadsheet
 * programs write less than a thousand.
 */
const maxMarkup = 64 * 1024;

/** The parser gets its text in pieces of this size, so that the bounds on markup can be checked between them. */
const partSize = 4 * 1024;

/** The longest beginning of markup that the parser compares with what it knows: `[CDATA[` and `DOCTYPE`. */
const longestKeyword = 7;

/** Only the entities of XML itself. */
const options: SAXOptions & { readonly strictEntities: boolean } = { position: false, strictEntities: true };

/**
 * Parses the XML of a workbook and pauses after each part, so that its content can be processed before there is more.
 * A document type is rejected: it can define entities that expand, and no workbook has one.
 */
export async function* readXml(
  chunks: AsyncIterable<Buffer>,
  handler: XmlHandler,
  location: XmlLocation,
): AsyncGenerator<undefined, void, void> {
  const refused = (problem: string): Error => new ImportError(`${location.file}: ${problem} (in ${location.part()})`);
  const damaged = (): Error => refused('the workbook is damaged: its XML cannot be read');
  const parser = createParser(true, options);
  let depth = 0;
  /** The characters given to the parser since it last passed something on. */
  let pending = 0;
  const resetPending = (): void => void (pending = 0);
  const onerror: typeof parser.onerror = () => {
    throw damaged();
  };
  const ondoctype: typeof parser.ondoctype = () => {
    throw refused('the workbook contains a DOCTYPE, which is not allowed');
  };
  const onsgmldeclaration = (): never => {
    throw refused('the workbook contains a declaration, which is not allowed');
  };
  const onopentag: typeof parser.onopentag = (tag) => {
    resetPending();
    depth += 1;
    if (depth > maxDepth) throw refused(`the workbook is damaged: its XML is nested deeper than ${maxDepth} levels`);
    const { attributes } = tag as Tag;
    for (const name in attributes) flatten(attributes[name]);
    handler.open?.(localName(tag.name), attributes);
    // The parser holds tags until they are closed.
    tag.attributes = {};
  };
  const onclosetag: typeof parser.onclosetag = (name) => {
    resetPending();
    depth -= 1;
    handler.close?.(localName(name));
  };
  const ontext = (text: string): void => {
    resetPending();
    flatten(text);
    handler.text?.(text);
  };
  Object.assign(parser, {
    ...{ onerror, ondoctype, onopentag, onclosetag, ontext, oncdata: ontext },
    ...{ oncomment: resetPending, onprocessinginstruction: resetPending, onsgmldeclaration },
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held = '';
  for await (const chunk of chunks) {
    const read = held + decode(() => decoder.decode(chunk, { stream: true }), damaged);
    held = read.endsWith('\r') ? '\r' : '';
    // XML ends lines with a line feed alone, whatever the file has; the parser does not.
    const text = read.slice(0, read.length - held.length).replace(/\r\n?/g, '\n');
    for (let at = 0; at < text.length; at += partSize) {
      const part = text.slice(at, at + partSize);
      pending += part.length;
      // Text is passed on without waiting for its end. What is pending after that is markup.
      parser.write(part).flush();
      // Checked early, because the parser takes quadratic time for a declaration.
      if ((parser as unknown as { sgmlDecl: string }).sgmlDecl.length > longestKeyword) onsgmldeclaration();
      if (pending > maxMarkup) {
        throw refused(
          `the workbook is damaged: its XML has a tag, a comment or an entity of more than ${maxMarkup} characters`,
        );
      }
      yield;
    }
  }
  parser.write(decode(() => decoder.decode(), damaged)).close();
  yield;
}

/**
 * The parser appends single characters. V8 keeps such strings as trees of thirty times the size until they are read.
 */
const flatten = (text: string | undefined): void => void text?.charCodeAt(0);

function decode(run: () => string, damaged: () => Error): string {
  try {
    return run();
  } catch {
    throw damaged();
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Reads a whole document. */
export async function walkXml(
  chunks: AsyncIterable<Buffer>,
  handler: XmlHandler,
  location: XmlLocation,
): Promise<void> {
  for await (const _ of readXml(chunks, handler, location));
}

/** A workbook writes characters that XML cannot represent as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9a-fA-F]{4})_/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    : text;
