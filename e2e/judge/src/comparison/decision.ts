import type { StatusCause } from '@keelson/apimachinery';
import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import type { ServerResponse } from '../server-in-memory.ts';

/** The response of a server to a write, without the values that differ from run to run. */
export interface Decision {
  /** 200 for an accepted object, else the code of the Status. */
  readonly code: number;
  /** The causes of a refusal with their fields, in alphabetical order: Go's order is random for members of maps. */
  readonly causes: readonly string[];
  /** The stored object, without the metadata that the server sets. */
  readonly object?: JsonObject;
}

/** The output of the Go program for a write. */
export interface JudgedWrite {
  readonly object?: JsonObject;
  readonly status?: JsonObject;
}

/** Returns the decision that is in a response of the server. */
export function decisionOfServer({ code, body }: ServerResponse): Decision {
  return code < 300 ? accepted(body) : refused(body);
}

/** Returns the decision of the Go program. */
export function decisionOfJudge({ object, status }: JudgedWrite): Decision {
  return status === undefined ? accepted(object ?? {}) : refused(status);
}

function accepted(object: JsonObject): Decision {
  const { metadata, status, ...content } = object;
  // The status of a definition is the work of a controller.
  const own =
    object['kind'] === 'CustomResourceDefinition' || status === undefined ? {} : { status };
  return { code: 200, causes: [], object: { ...content, ...own, metadata: ownMetadata(metadata) } };
}

function ownMetadata(metadata: JsonValue | undefined): JsonObject {
  const {
    uid: _uid,
    creationTimestamp: _created,
    resourceVersion: _version,
    managedFields: _managed,
    generation: _generation,
    ...rest
  } = (metadata ?? {}) as JsonObject;
  return rest;
}

function refused(status: JsonObject): Decision {
  const { causes = [] } = (status['details'] ?? {}) as { causes?: readonly StatusCause[] };
  const lines = causes.map(({ field = '', message = '' }) => `${field}: ${shortened(message)}`);
  return { code: Number(status['code']), causes: lines.toSorted() };
}

/** Leaves out a quoted struct: Kubernetes prints its internal form. */
function shortened(message: string): string {
  return message.replace(/^Invalid value: (?:\[\{|\{).*[\]}]: /s, 'Invalid value: …: ');
}
