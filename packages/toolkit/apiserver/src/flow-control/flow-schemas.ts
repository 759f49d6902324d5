import type { ServerResponse } from 'node:http';
import type { AccessAttributes } from '../auth/authorizer.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { byCodeUnit } from '../storage/sorted-keys.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import { matchesFlow, type FlowSchema } from './flow-schema.ts';

/** A FlowSchema with what names it. */
interface StoredFlowSchema extends FlowSchema {
  readonly name: string;
  readonly uid: string;
}

export interface FlowSchemasOptions {
  readonly storage: Storage;
  readonly schemas: ServedResource;
  readonly levels: ServedResource;
}

/**
 * Classifies requests as API Priority and Fairness of kube-apiserver does, and names the result in the headers of the response.
 * No request waits: the priority levels limit nothing here.
 */
export class FlowSchemas {
  readonly #schemas: ServedResource;
  readonly #levels: ServedResource;
  /** In the order in which they are tried; `undefined` after a change. */
  #ordered: readonly StoredFlowSchema[] | undefined;
  /** The last request and its schema, which many requests in a row share. */
  #last:
    | { readonly request: AccessAttributes; readonly schema: StoredFlowSchema | undefined }
    | undefined;

  constructor({ storage, schemas, levels }: FlowSchemasOptions) {
    this.#schemas = schemas;
    this.#levels = levels;
    storage.onChange((store) => {
      if (store !== schemas.store && store !== levels.store) return;
      this.#ordered = undefined;
      this.#last = undefined;
    });
  }

  /** Sets the headers that name the flow schema of a request and its priority level. */
  mark(response: ServerResponse, request: AccessAttributes): void {
    if (this.#last === undefined || !isSameFlow(this.#last.request, request)) {
      this.#ordered ??= this.#inOrder();
      const schema = this.#ordered.find((one) => matchesFlow(one, request));
      this.#last = { request, schema };
    }
    const { schema } = this.#last;
    if (schema === undefined) return;
    response.setHeader('X-Kubernetes-Pf-Flowschema-Uid', schema.uid);
    response.setHeader('X-Kubernetes-Pf-Prioritylevel-Uid', this.#levelOf(schema) ?? '');
  }

  /** Returns the uid of the priority level of a schema; `undefined` if it does not exist. */
  #levelOf({ spec }: FlowSchema): string | undefined {
    const { name } = spec.priorityLevelConfiguration;
    return this.#levels.store.get(keyOfMetadata({ name }))?.metadata.uid;
  }

  /** Returns the schemas that apply. One whose priority level is missing does not. */
  #inOrder(): readonly StoredFlowSchema[] {
    const all = Array.from(this.#schemas.store.values(), (stored): StoredFlowSchema => {
      const { metadata, spec } = stored.parse() as ApiObject & FlowSchema;
      return { name: metadata.name ?? '', uid: metadata.uid ?? '', spec };
    });
    const whole = all.filter((schema) => this.#levelOf(schema) !== undefined);
    return whole.toSorted(
      (one, other) => precedenceOf(one) - precedenceOf(other) || byCodeUnit(one.name, other.name),
    );
  }
}

/** True if two requests differ in nothing that a flow schema can name. */
function isSameFlow(one: AccessAttributes, other: AccessAttributes): boolean {
  if (one.kind === 'path' || other.kind === 'path') return false;
  return (
    one.user === other.user &&
    one.verb === other.verb &&
    one.group === other.group &&
    one.resource === other.resource &&
    one.subresource === other.subresource &&
    one.namespace === other.namespace
  );
}

function precedenceOf({ spec }: FlowSchema): number {
  return spec.matchingPrecedence ?? 0;
}
