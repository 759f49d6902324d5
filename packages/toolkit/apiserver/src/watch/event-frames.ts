import type { Status } from '@keelson/apimachinery';
import { completed } from '../http/response.ts';
import type { Presentation } from '../presentation/presentation.ts';
import type { ProtobufEncoder } from '../protobuf/protobuf-encoder.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { jsonText } from '@keelson/structural-schema';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Converts the objects of a watch to bytes. */
export type EventPresentation = Pick<Presentation, 'object' | 'bookmark'>;

/** The encoding of events, and of objects that are not stored. */
export interface EventForm {
  readonly contentType: string;
  /** Encodes an object that is not stored, such as a Status or the object of a bookmark. */
  bytesOf(object: object): Buffer;
  /** Encodes an event around an encoded object. */
  frame(type: EventType, object: Buffer): Buffer;
}

/** Encodes the events of a watch as lines of JSON or frames of protobuf. */
export class EventFrames {
  readonly #presentation: EventPresentation;
  readonly #form: EventForm;
  /** The last encoded event. All watches of a resource send the same event in a row and share it. */
  #last: { type: EventType; object: StoredObject; frame: Buffer } | undefined;
  /** The last joined events, which all watches of a resource send in a row too. */
  #joined: { parts: readonly Buffer[]; bytes: Buffer } | undefined;

  constructor(presentation: EventPresentation, form: EventForm = jsonLines) {
    this.#presentation = presentation;
    this.#form = form;
  }

  get contentType(): string {
    return this.#form.contentType;
  }

  ofObject(type: EventType, object: StoredObject): Buffer {
    const last = this.#last;
    if (last?.object === object && last.type === type) return last.frame;
    const frame = this.#form.frame(type, this.#presentation.object(object));
    this.#last = { type, object, frame };
    return frame;
  }

  /** Joins events for one write. The caller must not change the list. */
  join(parts: readonly Buffer[]): Buffer {
    const [first] = parts;
    if (first !== undefined && parts.length === 1) return first;
    const known = this.#joined;
    if (known !== undefined && isSame(known.parts, parts)) return known.bytes;
    const bytes = Buffer.concat(parts);
    this.#joined = { parts, bytes };
    return bytes;
  }

  ofBookmark(revision: number, endsInitialEvents: boolean): Buffer {
    const resourceVersion = String(revision);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = endsInitialEvents ? { resourceVersion, annotations } : { resourceVersion };
    return this.#of('BOOKMARK', this.#presentation.bookmark(metadata));
  }

  ofError(status: Status): Buffer {
    return this.#of('ERROR', completed(status));
  }

  #of(type: EventType, object: object): Buffer {
    return this.#form.frame(type, this.#form.bytesOf(object));
  }
}

function isSame(left: readonly Buffer[], right: readonly Buffer[]): boolean {
  return left.length === right.length && left.every((part, at) => part === right[at]);
}

const heads: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const tail = Buffer.from('}\n');

const jsonLines: EventForm = {
  contentType: 'application/json',
  bytesOf: (object) => Buffer.from(jsonText(object)),
  frame: (type, object) => Buffer.concat([heads[type], object, tail]),
};

/** Encodes events as the length-delimited frames of typed Go clients. */
export function protobufFrames(encoder: ProtobufEncoder): EventForm {
  return {
    contentType: 'application/vnd.kubernetes.protobuf;stream=watch',
    bytesOf: (object) => encoder.object(object),
    frame: (type, object) => encoder.watchEvent(type, object),
  };
}
