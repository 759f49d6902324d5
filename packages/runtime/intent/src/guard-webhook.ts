import { isDeepStrictEqual } from 'node:util';
import {
  checkFunction,
  checkOptions,
  type ApiResource,
  type Cached,
  type ObjectOf,
} from '@keelson/apimachinery';
import { defineWebhook, deny, type DefinedWebhook } from '@keelson/webhook';
import type { ExecutedObject } from './executed-object.ts';

/** Which updates the webhook of an execution guard reviews. */
export interface GuardWebhookOptions<R extends ApiResource = ApiResource> {
  /** The name of the webhook, as in `addWebhook`. */
  readonly name: string;
  /** The kind whose executions the guard runs. */
  readonly resource: R;
  /**
   * True if the object shows that an execution of it runs, such as by its status. Every replica reviews updates, and only
   * the replica that runs an execution knows it from the guard. Default: the guard alone decides.
   */
  readonly isRunning?: (object: Cached<ObjectOf<R>>) => boolean;
}

/** Declares a webhook that refuses changes of the spec while an execution of the object runs. */
export function guardWebhook<const R extends ApiResource>(
  options: GuardWebhookOptions<R>,
  guard: { readonly isRunning: (object: ExecutedObject) => boolean },
): DefinedWebhook<R, 'UPDATE', undefined> {
  const where = 'ExecutionGuard.webhook';
  checkOptions(options, ['name', 'resource', 'isRunning'], where);
  const { name, resource, isRunning = (): boolean => false } = options;
  checkFunction(isRunning, `${where}.isRunning`);
  return defineWebhook<R, 'UPDATE'>({
    name,
    resource,
    operations: ['UPDATE'],
    validate({ object, oldObject }) {
      const before = oldObject as unknown as Cached<ObjectOf<R>> & ExecutedObject;
      if (isDeepStrictEqual(specOf(object), specOf(before))) return undefined;
      if (!guard.isRunning(before) && !isRunning(before)) return undefined;
      return deny('the spec cannot change while an execution of the object runs', { code: 409 });
    },
  });
}

function specOf(object: object): unknown {
  return 'spec' in object ? object.spec : undefined;
}
