import { parser as createParser, type SAXOptions, type Tag } from 'sax';
import { ImportError } from '../../import-error';

/** The events of an XML document while it is read. Names have no prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  /** A piece of text; a long text arrives in several. */
  text?(text: string): void;
  close?(name: string): void;
}

export type Attributes = Readonly<Record<string, string | undefined>>;

/** Workbooks nest ten deep and have some dozen attributes. */
const maxDepth = 100;
const maxAttributes = 1000;

/** Only the entities of XML itself. */
const options: SAXOptions & { readonly strictEntities: boolean } = { position: false, strictEntities: true };

/**
 * Parses the XML of a workbook and pauses after each piece, so that its content can be processed before there is more. A document type is
 * rejected: it can define entities that expand, and no workbook has one.
 */
export async function* readXml(
  chunks: AsyncIterable<Buffer>,
  handler: XmlHandler,
  file: string,
): AsyncGenerator<undefined, void, void> {
  const damaged = (): Error => new ImportError(`${file}: the workbook is damaged: its XML cannot be read`);
  const parser = createParser(true, options);
  let depth = 0;
  let attributes = 0;
  const onerror: typeof parser.onerror = () => {
    throw damaged();
  };
  const ondoctype: typeof parser.ondoctype = () => {
    throw new ImportError(`${file}: the workbook holds a document type, which no spreadsheet program writes`);
  };
  const onattribute: typeof parser.onattribute = () => {
    attributes += 1;
    if (attributes > maxAttributes) throw damaged();
  };
  const onopentag: typeof parser.onopentag = (tag) => {
    attributes = 0;
    depth += 1;
    if (depth > maxDepth) throw damaged();
    handler.open?.(localName(tag.name), (tag as Tag).attributes);
  };
  const onclosetag: typeof parser.onclosetag = (name) => {
    depth -= 1;
    handler.close?.(localName(name));
  };
  const ontext = (text: string): void => handler.text?.(text);
  Object.assign(parser, { onerror, ondoctype, onattribute, onopentag, onclosetag, ontext, oncdata: ontext });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) {
    parser.write(decode(() => decoder.decode(chunk, { stream: true }), damaged));
    yield;
  }
  parser.write(decode(() => decoder.decode(), damaged)).close();
  yield;
}

function decode(run: () => string, damaged: () => Error): string {
  try {
    return run();
  } catch {
    throw damaged();
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Reads a whole document. */
export async function walkXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler, file: string): Promise<void> {
  for await (const _ of readXml(chunks, handler, file));
}

/** A workbook writes characters that XML cannot represent as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9a-fA-F]{4})_/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    : text;
