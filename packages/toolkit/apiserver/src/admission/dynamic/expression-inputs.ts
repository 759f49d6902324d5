import type { AskedResource, ExpressionAuthorizer } from '@keelson/cel/internal';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { User } from '../../auth/user.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { ExpressionInput } from '@keelson/structural-schema';
import { requestFacts } from './admission-review.ts';
import type { VersionedAttributes } from './versioned-attributes.ts';

/** Makes the values that the CEL expressions of webhooks and policies read of a request. */
export class ExpressionInputs {
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** Match conditions of webhooks have no namespace object. */
  inputOf(request: VersionedAttributes, namespaceObject: ApiObject | null = null): ExpressionInput {
    const { attributes, object, oldObject } = request;
    const { resource, subresource, namespace, name, user } = attributes;
    const { group, plural } = resource.facts;
    return new ExpressionInput(
      {
        object,
        oldObject,
        request: requestFacts(attributes, request),
        namespaceObject,
        params: null,
      },
      {
        authorizer: expressionAuthorizer(this.#authorizer, user),
        requestResource: { group, resource: plural, subresource, namespace, name },
      },
    );
  }
}

/** Decides about the authorization checks of an expression as the server does about requests. */
function expressionAuthorizer(authorizer: Authorizer, user: User): ExpressionAuthorizer {
  return {
    decide: (verb, asked) =>
      'path' in asked
        ? authorizer.authorize({ kind: 'path', user, verb, path: asked.path })
        : authorizer.authorize({ kind: 'resource', user, verb, ...wholeResource(asked) }),
    of: ({ namespace, name }) =>
      expressionAuthorizer(authorizer, {
        name: `system:serviceaccount:${namespace}:${name}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
      }),
  };
}

function wholeResource(
  asked: AskedResource,
): Record<'group' | 'resource' | 'subresource' | 'namespace' | 'name', string> {
  const { group, resource, subresource = '', namespace = '', name = '' } = asked;
  return { group, resource, subresource, namespace, name };
}
