import type { MetaVersion } from '../http/media-type.ts';
import { partialObjects, type Presentation, wholeObjects } from '../presentation/presentation.ts';
import { loadProtobufEncoder } from '../protobuf/protobuf-encoder.ts';
import { ProtobufPresentation } from '../presentation/protobuf-presentation.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { EventFrames, protobufFrames } from '../watch/event-frames.ts';

/** Encoders of the objects of one resource, shared by all requests. A `MetaVersion` selects the metadata alone. */
export class ResourceForms {
  readonly #resource: ServedResource;
  readonly #known = new Map<string, unknown>();

  constructor(resource: ServedResource) {
    this.#resource = resource;
  }

  /** Encodes the events of a watch as lines of JSON. */
  lines(partial?: MetaVersion): EventFrames {
    const presentation = (): Presentation =>
      partial === undefined ? wholeObjects(this.#resource) : partialObjects(partial);
    return this.#once(`lines ${partial}`, () => new EventFrames(presentation()));
  }

  protobuf(partial?: MetaVersion): Promise<ProtobufPresentation> {
    return this.#once(`protobuf ${partial}`, async () => {
      const encoder = await loadProtobufEncoder();
      return new ProtobufPresentation(encoder, this.#resource, partial);
    });
  }

  /** Encodes the events of a watch as frames of protobuf. */
  protobufFrames(partial?: MetaVersion): Promise<EventFrames> {
    return this.#once(`frames ${partial}`, async () => {
      const presentation = await this.protobuf(partial);
      return new EventFrames(presentation, protobufFrames(await loadProtobufEncoder()));
    });
  }

  #once<T>(name: string, make: () => T): T {
    if (!this.#known.has(name)) this.#known.set(name, make());
    return this.#known.get(name) as T;
  }
}
