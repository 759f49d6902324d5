import { type MessageSink, specialEncoders } from './encode-special.ts';
import type { MessageField, MessagesFile } from './message-type.ts';
import type { WireWriter } from './wire-writer.ts';

type Members = Readonly<Record<string, unknown>>;

/** Encodes the JSON of objects as protobuf messages. Unknown members are left out. */
export class MessageEncoder implements MessageSink {
  readonly writer: WireWriter;
  readonly #messages: MessagesFile;

  constructor(messages: MessagesFile, writer: WireWriter) {
    this.#messages = messages;
    this.writer = writer;
  }

  /** Writes the fields of a message without its tag and length. */
  inside(type: string, value: unknown): void {
    const special = specialEncoders[type];
    if (special !== undefined) {
      special(this, value);
      return;
    }
    const fields = this.#messages[type];
    if (fields === undefined) throw new Error(`there is no message ${type}`);
    for (const field of fields) this.#field(field, value as Members);
  }

  message(number: number, type: string, value: unknown): void {
    this.writer.message(number, () => this.inside(type, value));
  }

  #field([number, name, type]: MessageField, members: Members): void {
    // The members of a message without a name are part of the surrounding JSON object.
    const value = name === '' ? members : members[name];
    if (value === undefined || value === null) return;
    if (type.startsWith('[]')) {
      for (const item of value as unknown[]) this.#value(number, type.slice(2), item);
    } else if (type.startsWith('{}')) {
      for (const [key, item] of Object.entries(value)) {
        this.writer.message(number, () => this.#entry(type.slice(2), key, item));
      }
    } else this.#value(number, type.startsWith('*') ? type.slice(1) : type, value);
  }

  #entry(type: string, key: string, value: unknown): void {
    this.writer.text(1, key);
    this.#value(2, type, value);
  }

  #value(number: number, type: string, value: unknown): void {
    switch (type) {
      case 'string':
        return this.writer.text(number, String(value));
      case 'bool':
        return this.writer.bool(number, value === true);
      case 'int':
        return this.writer.int(number, typeof value === 'bigint' ? value : Number(value));
      case 'double':
        return this.writer.double(number, Number(value));
      case 'bytes':
        return this.writer.bytes(number, Buffer.from(String(value), 'base64'));
      default:
        return this.#inner(number, type, value);
    }
  }

  /** A type `(t)` is a message whose only field is a list of `t`. */
  #inner(number: number, type: string, value: unknown): void {
    if (!type.startsWith('(')) {
      this.message(number, type, value);
      return;
    }
    this.writer.message(number, () => {
      for (const item of value as unknown[]) this.#value(1, type.slice(1, -1), item);
    });
  }
}
