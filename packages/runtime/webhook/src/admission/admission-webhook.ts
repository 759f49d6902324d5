import {
  examineResult,
  hasCode,
  ignoreRejections,
  invalidOption,
  isDeleting,
  mutableCopy,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import { WebhookError } from '../errors.ts';
import type { AdmissionRequest, AdmissionResponse } from './admission-review.ts';
import type { CheckedWebhook } from './check-webhook.ts';
import { deny, isDenial, type Denial } from './denial.ts';
import { jsonPatch } from './json-patch.ts';
import { deepFreeze, isRecord, throughJson, type JsonRecord } from './json-value.ts';
import type { ValidatedKind } from './webhook-options.ts';
import type { WebhookLogger } from './webhook-logger.ts';

/** The client, the cache and the logger that handlers receive. */
export interface HandlerServices {
  readonly client: Client;
  readonly cache: InformerCache;
  readonly log: WebhookLogger;
}

/** Calls a function of the user, such as in an async context of its own. */
export type CallUser = <Result>(act: () => Result) => Result;

/** The key of an audit annotation, which the server puts behind the name of the webhook and a slash. */
const AUDIT_KEY = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Reviews the requests of one admission webhook with the handler of the user. */
export class AdmissionWebhook {
  readonly #webhook: CheckedWebhook;
  readonly #services: HandlerServices;
  readonly #call: CallUser;

  constructor(webhook: CheckedWebhook, services: HandlerServices, call: CallUser) {
    this.#webhook = webhook;
    this.#services = services;
    this.#call = call;
  }

  /**
   * Returns the decision of the handler. Rejects with `REVIEW_UNEXPECTED` for a request of another kind or operation,
   * with `WEBHOOK_RESULT` for an invalid result, and with `WEBHOOK_FAILED` if the handler throws.
   */
  async review(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionResponse> {
    this.#checkExpected(request);
    const context = new HandlerReview(request, this.#services, { webhook: this.#webhook, signal });
    const { uid } = request;
    const outcome =
      this.#webhook.type === 'mutating'
        ? await this.#mutate(request, context)
        : await this.#validate(request, context);
    const notes = context.notes();
    if (isDenial(outcome)) return { uid, allowed: false, status: outcome.status, ...notes };
    if (outcome === undefined || outcome.length === 0) return { uid, allowed: true, ...notes };
    const patch = Buffer.from(JSON.stringify(outcome)).toString('base64');
    return { uid, allowed: true, patchType: 'JSONPatch', patch, ...notes };
  }

  async #validate(request: AdmissionRequest, context: HandlerReview): Promise<Denial | undefined> {
    deepFreeze(request);
    const { kind, validate } = this.#webhook.options;
    const refused = kind === undefined ? undefined : await this.#ask(() => parsed(kind, request));
    if (refused !== undefined) return refused;
    if (validate === undefined) return undefined;
    const objects = {
      object: request.object ?? undefined,
      oldObject: request.oldObject ?? undefined,
    };
    const result: unknown = await this.#ask(() => validate(context.with(objects) as never));
    if (result === undefined || isDenial(result)) return result;
    ignoreRejections(result);
    throw this.#invalid('validate must return nothing or deny(…)');
  }

  async #mutate(request: AdmissionRequest, context: HandlerReview): Promise<Denial | object[]> {
    deepFreeze(request);
    const original = request.object ?? undefined;
    const draft = original === undefined ? undefined : mutableCopy(original);
    const objects = { object: draft, original, oldObject: request.oldObject ?? undefined };
    const { mutate } = this.#webhook.options;
    const result = await this.#ask(() => mutate?.(context.with(objects) as never));
    if (isDenial(result)) return result;
    const changed: unknown = result ?? draft;
    if (changed === undefined) return [];
    return examineResult(changed, () => {
      if (original === undefined)
        throw this.#invalid(`${request.operation} has no object to change`);
      return jsonPatch(original, this.#changedObject(original, changed));
    });
  }

  /** Calls the handler. Rejects with `WEBHOOK_FAILED` with its error as cause. */
  async #ask<Result>(act: () => Result): Promise<Awaited<Result>> {
    try {
      return await this.#call(act);
    } catch (cause) {
      if (isDenial(cause)) throw this.#invalid('deny(…) must be returned, not thrown', cause);
      throw new WebhookError('WEBHOOK_FAILED', { webhook: this.#webhook.name }, { cause });
    }
  }

  /** The API server refuses a patch that changes the kind of the object, with a message that hides the reason. */
  #changedObject(original: JsonRecord, changed: unknown): JsonRecord {
    const object = this.#jsonOf(changed);
    if (!isRecord(object)) throw this.#invalid('mutate must return an object or nothing');
    for (const member of ['apiVersion', 'kind']) {
      if (object[member] !== original[member]) throw this.#invalid(`${member} must not change`);
    }
    if (isRecord(original['metadata']) && !isRecord(object['metadata'])) {
      throw this.#invalid('metadata must be an object');
    }
    return object;
  }

  #jsonOf(changed: unknown): unknown {
    try {
      return throughJson(changed);
    } catch (cause) {
      throw this.#invalid('the object is not JSON', cause);
    }
  }

  #checkExpected({ resource, subResource, operation }: AdmissionRequest): void {
    const { resources, operations, options } = this.#webhook;
    const { subresource } = options;
    const isKnown =
      resources === '*' ||
      resources.some(
        ({ group, version, plural }) =>
          group === resource.group && version === resource.version && plural === resource.resource,
      );
    const isPart = subresource === '*' || (subResource ?? '') === (subresource ?? '');
    if (isKnown && isPart && operations.includes(operation)) return;
    const { group, version, resource: plural } = resource;
    const facts = { webhook: this.#webhook.name, group, version, plural, subResource, operation };
    throw new WebhookError('REVIEW_UNEXPECTED', facts);
  }

  #invalid(reason: string, cause?: unknown): WebhookError {
    return new WebhookError('WEBHOOK_RESULT', { webhook: this.#webhook.name, reason }, { cause });
  }
}

/** The argument of a handler, and the notes that it adds to the response. */
class HandlerReview {
  readonly #request: AdmissionRequest;
  readonly #services: HandlerServices;
  readonly #webhook: CheckedWebhook;
  readonly #signal: AbortSignal;
  readonly #warnings: string[] = [];
  readonly #annotations: Record<string, string> = {};

  constructor(
    request: AdmissionRequest,
    services: HandlerServices,
    { webhook, signal }: { readonly webhook: CheckedWebhook; readonly signal: AbortSignal },
  ) {
    this.#request = request;
    this.#services = services;
    this.#webhook = webhook;
    this.#signal = signal;
  }

  /** The argument of the handler with these objects. */
  with(objects: Readonly<Record<string, unknown>>): object {
    const request = this.#request;
    const { namespace = '' } = request;
    const log = (): WebhookLogger => this.#log();
    return {
      ...objects,
      operation: request.operation,
      user: request.userInfo,
      dryRun: request.dryRun === true,
      options: request.options ?? {},
      namespace: namespace === '' ? undefined : namespace,
      request,
      client: this.#services.client,
      cache: this.#services.cache,
      signal: this.#signal,
      // A getter, because most reviews write no line.
      get log() {
        return log();
      },
      warn: (message: string) => this.#warn(message),
      audit: (key: string, value: string) => this.#audit(key, value),
    };
  }

  /** The warnings and annotations of the response. */
  notes(): Pick<AdmissionResponse, 'warnings' | 'auditAnnotations'> {
    const warnings = this.#warnings;
    const auditAnnotations = this.#annotations;
    return {
      ...(warnings.length > 0 && { warnings: [...warnings] }),
      ...(Object.keys(auditAnnotations).length > 0 && {
        auditAnnotations: { ...auditAnnotations },
      }),
    };
  }

  #log(): WebhookLogger {
    const { kind, namespace, name, operation, uid } = this.#request;
    const { name: webhook } = this.#webhook;
    const facts = { webhook, kind: kind.kind, namespace, name, operation, uid };
    return this.#services.log.child(facts);
  }

  #warn(message: string): void {
    if (typeof message !== 'string' || message === '') {
      throw invalidOption('warn.message', 'must be a text');
    }
    this.#warnings.push(message);
  }

  #audit(key: string, value: string): void {
    if (typeof key !== 'string' || !AUDIT_KEY.test(key)) {
      throw invalidOption('audit.key', 'must be a name of letters, digits, - _ . without a prefix');
    }
    if (typeof value !== 'string') throw invalidOption('audit.value', 'must be a text');
    this.#annotations[key] = value;
  }
}

/**
 * Refuses an object that the schema of the kind does not accept. Accepts one that is being deleted: a refusal would keep
 * its controller from removing the finalizer. Other errors of the schema are thrown.
 */
async function parsed(kind: ValidatedKind, request: AdmissionRequest): Promise<Denial | undefined> {
  const { object, oldObject } = request;
  if (!isRecord(object) || isDeleting(object)) return undefined;
  try {
    // The API server has dropped or refused unknown fields before it calls webhooks.
    const old = isRecord(oldObject) && { old: oldObject };
    await kind.parse(object, { unknownFields: 'drop', ...old });
    return undefined;
  } catch (error) {
    if (!hasCode(error, 'OBJECT_INVALID') || !('causes' in error)) throw error;
    const causes = error.causes as readonly { field?: string; message?: string }[];
    return deny(messageOf(object, kind, causes), { causes });
  }
}

/** The words of kube-apiserver for an invalid object. */
function messageOf(
  { metadata }: KubernetesObject,
  { resource }: ValidatedKind,
  causes: readonly { readonly field?: string; readonly message?: string }[],
): string {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const [first = ''] = texts;
  const list = texts.length > 1 ? `[${texts.join(', ')}]` : first;
  const { name = metadata?.generateName ?? '' } = metadata ?? {};
  const kind = resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`;
  return `${kind} "${name}" is invalid: ${list}`;
}
