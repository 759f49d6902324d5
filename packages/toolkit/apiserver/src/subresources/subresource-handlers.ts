import type { AdmissionChain } from '../admission/admission-chain.ts';
import type { ServiceAccountTokens } from '../auth/service-account-tokens.ts';
import type { SubresourceHandler } from './subresource-handler.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ObjectRemover } from '../verbs/object-remover.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import type { ReadVerbs } from '../verbs/read-verbs.ts';
import type { UpdateScope } from '../resources/revert-outside-scope.ts';
import type { WriteVerbs } from '../verbs/write-verbs.ts';
import { bindingHandler } from './binding.ts';
import { connectionHandler } from './connection.ts';
import { evictionHandler } from './eviction.ts';
import { ScaleVerbs } from './scale.ts';
import { tokenHandler } from './service-account-token.ts';

export interface SubresourceContext {
  readonly reads: ReadVerbs;
  readonly writes: WriteVerbs;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly registry: ResourceRegistry;
  readonly admission: AdmissionChain;
  readonly tokens: ServiceAccountTokens;
  readonly now: () => number;
}

/** Creates the handlers of the implemented subresources, by name. */
export function subresourceHandlers(
  context: SubresourceContext,
): Readonly<Record<string, SubresourceHandler>> {
  const { writer, registry, admission, tokens, now } = context;
  const scale = new ScaleVerbs(writer, now);
  const connection = connectionHandler(context);
  return {
    attach: connection,
    exec: connection,
    portforward: connection,
    proxy: connection,
    binding: bindingHandler({ writer, registry, admission, now }),
    eviction: evictionHandler(context),
    token: tokenHandler({ tokens, registry, admission, now }),
    scale: scaleHandler(scale),
    approval: partOfObject('approval', context),
    ephemeralcontainers: partOfObject('ephemeralcontainers', context),
    finalize: partOfObject('finalize', context),
    resize: partOfObject('resize', context),
    status: partOfObject('status', context),
  };
}

function scaleHandler(scale: ScaleVerbs): SubresourceHandler {
  return (request, resource) => {
    switch (request.info.verb) {
      case 'get':
        return scale.get(request, resource);
      case 'update':
        return scale.update(request, resource);
      case 'patch':
        return scale.patch(request, resource);
      default:
        return undefined;
    }
  };
}

/** Creates the handler of a subresource whose body is the object and whose writes change one part of it. */
function partOfObject(
  scope: UpdateScope,
  { reads, writes }: SubresourceContext,
): SubresourceHandler {
  return (request, resource) => {
    switch (request.info.verb) {
      case 'get':
        return reads.get(request, resource);
      case 'update':
        return writes.update(request, resource, scope);
      case 'patch':
        return writes.patch(request, resource, scope);
      default:
        return undefined;
    }
  };
}
