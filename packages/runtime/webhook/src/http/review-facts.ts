import { isRecord } from '../admission/json-value.ts';

/** The facts of a review that identify it in logs and traces. A body that is not a review has none of them. */
export interface ReviewFacts {
  /** The uid of the request, which the response repeats and the audit log of the API server has. */
  readonly uid: string | undefined;
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`; `undefined` for a conversion. */
  readonly operation: string | undefined;
  /** The kind of the object, such as `apps/v1/Deployment`; `undefined` for a conversion. */
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** The longest name of an object. The sender of a review may not be an API server. */
const MAX_LENGTH = 253;

/** Reads the facts of an AdmissionReview or a ConversionReview, which need not be valid. */
export function reviewFactsOf(body: unknown): ReviewFacts {
  const request = membersOf(membersOf(body)['request']);
  return {
    uid: textOf(request['uid']),
    operation: textOf(request['operation']),
    kind: kindOf(membersOf(request['kind'])),
    namespace: textOf(request['namespace']),
    name: textOf(request['name']),
  };
}

function kindOf({ group, version, kind }: Readonly<Record<string, unknown>>): string | undefined {
  const parts = [group === '' ? undefined : textOf(group), textOf(version), textOf(kind)];
  return textOf(kind) && parts.filter((part) => part !== undefined).join('/');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_LENGTH) : undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
