import type { AdmissionChain } from '../admission/admission-chain.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import {
  methodNotAllowed,
  methodNotSupported,
  resourceNotFound,
} from '../status-errors/status-errors.ts';
import type { DeleteVerbs } from '../verbs/delete-verbs.ts';
import type { SubresourceHandler } from '../subresources/subresource-handler.ts';
import type { ReadVerbs } from '../verbs/read-verbs.ts';
import { createReview, isReview, type ReviewContext } from '../verbs/reviews/create-review.ts';
import type { WriteVerbs } from '../verbs/write-verbs.ts';
import { sendNoSuchPath } from '../http/response.ts';
import { warningHeaders } from '../http/warning-headers.ts';
import { kindOf, mediaTypeOf } from '../presentation/object-response.ts';
import type { ResourceRequest } from '../http/api-request.ts';
import type { ResourceRequestInfo } from '../http/request-info.ts';

export interface ResourceContext {
  readonly registry: ResourceRegistry;
  readonly reads: ReadVerbs;
  readonly writes: WriteVerbs;
  readonly deletes: DeleteVerbs;
  /** Returns the handlers of subresources, which the first request for one creates. */
  readonly subresources: () => Readonly<Record<string, SubresourceHandler>>;
  readonly reviews: ReviewContext;
  readonly admission: AdmissionChain;
}

/** Routes requests for resources to the handlers of their verbs. */
export class ResourceRouter {
  readonly #context: ResourceContext;

  constructor(context: ResourceContext) {
    this.#context = context;
  }

  handle(request: ResourceRequest): void | Promise<void> {
    const { group, version, resource: plural, subresource } = request.info;
    const resource = this.#context.registry.find({ group, version, plural });
    if (resource === undefined) return this.#notServed(request);
    warnOfDeprecation(request, resource);
    if (isOnlyPosted(resource)) checkPosted(resource, request.info);
    checkScope(resource, request.info);
    if (request.method === 'HEAD') throw methodNotAllowed();
    // Refuses an unsupported Accept header before the request has an effect.
    mediaTypeOf(request, kindOf(resource, subresource));
    if (subresource !== '') return this.#subresource(request, resource);
    if (isOnlyPosted(resource)) return this.#posted(request, resource);
    return this.#verb(request, resource);
  }

  /** Objects of these kinds are not stored: the server computes a response, or binds a pod. */
  async #posted(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const { reviews, admission, subresources } = this.#context;
    if (isReview(resource)) {
      await createReview(request, resource, { ...reviews, admission });
      return;
    }
    await subresources()['binding']?.(request, resource);
  }

  /** A group without built-in resources has no handler in kube-apiserver, so the 404 has no Status body. */
  #notServed(request: ResourceRequest): void {
    const { group } = request.info;
    if (group === '' || this.#context.registry.servesBuiltin(group)) throw resourceNotFound();
    sendNoSuchPath(request.response);
  }

  #verb(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const { reads, writes, deletes } = this.#context;
    const { verb, name } = request.info;
    if (!resource.facts.verbs.includes(verb)) throw methodNotAllowed();
    switch (verb) {
      case 'get':
        return reads.get(request, resource);
      case 'list':
        return reads.list(request, resource);
      case 'watch':
        return reads.watch(request, resource);
      case 'delete':
        return deletes.delete(request, resource);
      case 'deletecollection':
        return deletes.deleteCollection(request, resource);
      default:
        break;
    }
    if ((verb === 'create') === (name !== '')) throw methodNotAllowed();
    switch (verb) {
      case 'create':
        return writes.create(request, resource);
      case 'update':
        return writes.update(request, resource, '');
      case 'patch':
        return writes.patch(request, resource, '');
      default:
        throw methodNotAllowed();
    }
  }

  async #subresource(request: ResourceRequest, resource: ServedResource): Promise<void> {
    const { subresource, verb } = request.info;
    const served = resource.subresource(subresource);
    const handler = this.#context.subresources()[subresource];
    if (served === undefined || handler === undefined) throw resourceNotFound();
    if (!served.verbs.includes(verb)) {
      throw resource.facts.custom ? methodNotSupported(resource.facts, verb) : methodNotAllowed();
    }
    await (handler(request, resource) ?? Promise.reject(methodNotAllowed()));
  }
}

const deprecations: Readonly<Record<string, string>> = {
  'v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
  'v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

function warnOfDeprecation(request: ResourceRequest, resource: ServedResource): void {
  const deprecation = resource.facts.deprecation ?? deprecations[resource.id];
  if (deprecation === undefined) return;
  // Lists, watches and refusals do not write `request.warnings`, so the header is set here.
  request.response.setHeader('Warning', warningHeaders([deprecation]));
  request.warnings.push(deprecation);
}

/** True for reviews and `bindings`, which have no verb but create. */
function isOnlyPosted({ facts: { verbs } }: ServedResource): boolean {
  return verbs.length === 1 && verbs[0] === 'create';
}

/** Such a resource has no URL but the one to which its objects are posted. */
function checkPosted({ facts }: ServedResource, info: ResourceRequestInfo): void {
  const { namespace, name, verb, subresource } = info;
  if (name !== '' || subresource !== '' || (namespace !== '') !== facts.namespaced) {
    throw resourceNotFound();
  }
  if (verb !== 'create') throw methodNotAllowed();
}

/**
 * The URL of a cluster-scoped resource has no namespace. That of a namespaced one needs it, except to list and watch.
 */
function checkScope(resource: ServedResource, info: ResourceRequestInfo): void {
  const { namespaced, plural } = resource.facts;
  const inNamespace = info.namespace !== '' && plural !== 'namespaces';
  if (!namespaced && inNamespace) throw resourceNotFound();
  const collective = info.verb === 'list' || info.verb === 'watch';
  if (namespaced && !inNamespace && (info.name !== '' || !collective)) {
    throw info.name === '' ? methodNotAllowed() : resourceNotFound();
  }
}
