import type {
  ApiResource,
  Cached,
  DeepMutable,
  DeepReadonly,
  KubernetesObject,
  ObjectOf,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type { AdmissionRequest, UserInfo } from './admission-review.ts';
import type { Denial } from './denial.ts';
import type { JsonRecord } from './json-value.ts';
import type { Operation } from './operation.ts';
import type { WebhookLogger } from './webhook-logger.ts';

/** The kinds of a webhook: one token, several, or `'*'` for every kind. */
export type WebhookResource = ApiResource | readonly ApiResource[] | '*';

/** The type of the objects of a webhook. */
export type ReviewedObject<R> = R extends '*'
  ? KubernetesObject
  : R extends readonly (infer Each)[]
    ? ObjectOf<Each>
    : ObjectOf<R>;

/**
 * The type of the objects in a review. For a subresource other than `status` it is the type of the subresource, such as
 * `Eviction`.
 */
export type ObjectIn<R, Subresource> = [Subresource] extends [undefined | 'status']
  ? ReviewedObject<R>
  : KubernetesObject;

/** What every handler receives beside the objects. */
interface ReviewContext {
  /** The user whose request is reviewed. */
  readonly user: UserInfo;
  /** True if the request is not stored. A handler with side effects must have none then. */
  readonly dryRun: boolean;
  /** The `CreateOptions`, `UpdateOptions`, `PatchOptions` or `DeleteOptions` of the request. */
  readonly options: JsonRecord;
  /** The namespace of the object; `undefined` for a cluster-scoped kind. */
  readonly namespace: string | undefined;
  /** The request of the review as the API server sent it, with the kind, the resource and the subresource. */
  readonly request: DeepReadonly<AdmissionRequest>;
  /** Every replica reviews, so that its writes do not depend on the Lease of leader election. */
  readonly client: Client;
  /** The shared cache. A read throws unless a single acquired watch covers it. */
  readonly cache: InformerCache;
  /** Adds the webhook and the reviewed object to each line. */
  readonly log: WebhookLogger;
  /** Aborts when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
  /** Adds a warning, which clients such as kubectl print. At most 120 characters are advisable. */
  readonly warn: (message: string) => void;
  /** Adds an annotation to the audit event of the request. The server prefixes the key with the name of the webhook. */
  readonly audit: (key: string, value: string) => void;
}

/** The objects of a validated request: CREATE has no `oldObject`, DELETE no `object`. They are frozen. */
type ValidatedObjects<T extends KubernetesObject, Op extends Operation> = {
  CREATE: { readonly object: DeepReadonly<T>; readonly oldObject?: undefined };
  UPDATE: { readonly object: DeepReadonly<T>; readonly oldObject: Cached<T> };
  DELETE: { readonly object?: undefined; readonly oldObject: Cached<T> };
  CONNECT: {
    /** The options of the connection, such as `PodExecOptions`. */
    readonly object: DeepReadonly<KubernetesObject> | undefined;
    readonly oldObject?: undefined;
  };
}[Op];

/** The objects of a request that may be changed: `object` is a draft, `original` its frozen original. */
type MutatedObjects<T extends KubernetesObject, Op extends Operation> = {
  CREATE: Draft<T> & { readonly oldObject?: undefined };
  UPDATE: Draft<T> & { readonly oldObject: Cached<T> };
  DELETE: {
    readonly object?: undefined;
    readonly original?: undefined;
    readonly oldObject: Cached<T>;
  };
  CONNECT: Partial<Draft<KubernetesObject>> & { readonly oldObject?: undefined };
}[Op];

interface Draft<T extends KubernetesObject> {
  /** A copy of the object, which the handler may change. */
  readonly object: DeepMutable<T>;
  /** The object as the API server sent it, frozen. */
  readonly original: DeepReadonly<T>;
}

/** The argument of `validate`. `operation` decides which objects are there. */
export type ValidateArguments<
  T extends KubernetesObject,
  Op extends Operation,
> = Op extends Operation
  ? ReviewContext & { readonly operation: Op } & ValidatedObjects<T, Op>
  : never;

/** The argument of `mutate`. `operation` decides which objects are there. */
export type MutateArguments<T extends KubernetesObject, Op extends Operation> = Op extends Operation
  ? ReviewContext & { readonly operation: Op } & MutatedObjects<T, Op>
  : never;

/** The result of `validate`: nothing allows the request, `deny(…)` refuses it. */
export type ValidateResult = Denial | void;

/** The result of `mutate`: the changed object, or nothing for the changed draft. `deny(…)` refuses the request. */
export type MutateResult<T extends KubernetesObject> = DeepReadonly<T> | Denial | void;
