import type { FieldShape, MessageField, MessageType, ValueLetter } from './message-type.ts';

/** A built-in kind and its message. */
export interface BuiltinKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Its text and those of the messages within are parsed when it is first read: a list needs only the metadata. */
  readonly message: MessageType;
}

/**
 * The text of one field: the name of its JSON member, its shape, its letter, and for a message the index of its type in
 * base 36. `@` and the field number follow if the number is not one above the last.
 */
const FIELD = /^([\w$]*)([.*[{-])([a-zA-Z])([0-9a-z]*)(?:@(\d+))?$/;
const RADIX = 36;

/**
 * The built-in kinds and their protobuf messages, read from the text that `e2e/protobuf` generates. Its first line is
 * the minor version of Kubernetes. Each further line has a kind, the index of its message, and the texts of the
 * messages that earlier lines lack.
 */
export class KindTable {
  /** The version of Kubernetes whose fields the table has, such as `1.36`. */
  readonly kubernetesVersion: string;
  /** The index in `#texts` of each kind's message, in base 36. The keys have the form `apiVersion kind`. */
  readonly #places = new Map<string, string>();
  /** The texts of the messages. A text is parsed when a message that contains it is first read. */
  readonly #texts: string[] = [];
  readonly #messages: MessageType[] = [];
  #headMetadata: MessageType | undefined;

  constructor(text: string) {
    const [version = '', ...lines] = text.trim().split('\n');
    this.kubernetesVersion = version;
    for (const line of lines) this.#addLine(line);
  }

  /** The message of an object's metadata, in which `managedFields` is skipped. */
  get headMetadata(): MessageType {
    return (this.#headMetadata ??= withoutManagedFields(
      metadataOf(this.find('meta.k8s.io/v1', 'PartialObjectMetadata')),
    ));
  }

  /** The message of a list's metadata, taken from `Status`, which has the same metadata. */
  get listMetadata(): MessageType {
    return metadataOf(this.find('v1', 'Status'));
  }

  /** Every kind, as `apiVersion kind`. */
  get kinds(): IterableIterator<string> {
    return this.#places.keys();
  }

  /** Returns a kind, or `undefined` if the table does not have it. */
  find(apiVersion: string, kind: string): BuiltinKind | undefined {
    const place = this.#places.get(`${apiVersion} ${kind}`);
    if (place === undefined) return undefined;
    const read = (): MessageType => this.#message(place);
    return {
      apiVersion,
      kind,
      get message() {
        return read();
      },
    };
  }

  #addLine(line: string): void {
    const colon = line.indexOf(':');
    const space = line.lastIndexOf(' ', colon);
    this.#places.set(line.slice(0, space), line.slice(space + 1, colon));
    if (colon < line.length - 1) this.#texts.push(...line.slice(colon + 1).split(';'));
  }

  #message(place: string): MessageType {
    const number = Number.parseInt(place, RADIX);
    return (this.#messages[number] ??= this.#read(this.#texts[number] ?? ''));
  }

  #read(text: string): MessageType {
    const fields: MessageField[] = [];
    const byNumber: MessageField[] = [];
    let number = 0;
    for (const word of text === '' ? [] : text.split(' ')) {
      const [, name = '', shape, letter = '', place = '', own] = FIELD.exec(word) ?? [];
      const lower = letter.toLowerCase();
      number = own === undefined ? number + 1 : Number(own);
      const field: MessageField = {
        name: internalized(name),
        shape: shape as FieldShape,
        letter: lower as ValueLetter,
        isText: lower === 's' && (shape === '.' || shape === '*'),
        isOmitted: letter === lower,
        index: fields.length,
        message: place === '' ? undefined : this.#message(place),
      };
      fields.push(field);
      byNumber[number] = field;
    }
    return { fields, byNumber, slots: fields.map(() => undefined) };
  }
}

function metadataOf(kind: BuiltinKind | undefined): MessageType {
  const field = kind?.message.fields.find(({ name }) => name === 'metadata');
  if (field?.message === undefined) throw new Error('the table of kinds has no metadata');
  return field.message;
}

function withoutManagedFields({ fields, byNumber, slots }: MessageType): MessageType {
  return {
    fields: fields.map(skipped),
    byNumber: byNumber.map((field) => (field === undefined ? undefined : skipped(field))),
    slots,
  };
}

function skipped(field: MessageField): MessageField {
  if (field.name !== 'managedFields') return field;
  return { ...field, shape: '.', letter: 'x', message: undefined };
}

/** Returns the name as the string that V8 uses for the name of a member: a lookup with it is faster. */
function internalized(name: string): string {
  return Object.keys({ [name]: true })[0] ?? name;
}
