import type { ApiResource, LabelSelector } from '@keelson/apimachinery';
import type { CustomResourceDefinition } from '../kind/single-kind.ts';

/** One rule of a policy. It must be true for every object that the policy admits. */
export interface PolicyRule {
  /** The expression; its variables are `object`, `oldObject`, `request`, `params`, `namespaceObject`, `authorizer` and `variables`. */
  readonly cel: string;
  /** The message of a violation. Default: the expression. */
  readonly message?: string;
  /** An expression of the type string that computes the message. It takes precedence over `message`. */
  readonly messageExpression?: string;
  /** The reason and the status code of a refusal: 403, 422 or 413. Default `Invalid`. */
  readonly reason?: 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge';
}

/** The objects that the rules read as `params`. */
export interface PolicyParams {
  readonly resource: Pick<ApiResource, 'group' | 'version' | 'kind'>;
  /** The name of one object; excludes `selector`. */
  readonly name?: string;
  /** Selects several objects: each of them must permit the request. */
  readonly selector?: LabelSelector;
  /** The namespace of the parameters. Default: that of the request. */
  readonly namespace?: string;
  /** What happens to a request without parameters. Default `Deny`. */
  readonly notFound?: 'Deny' | 'Allow';
}

/** The requests and the variables of a policy. */
export interface PolicyTarget {
  /** The name of both objects, such as `replica-limit.example.com`. */
  readonly name: string;
  /**
   * The resource that the policy is about: a token, or a kind from `defineKind`, by whose schema the types of the expressions
   * are checked.
   */
  readonly resource: PolicyResource;
  /** `status`, `scale` or another subresource; `*` for the resource and all of them. Default: the resource itself. */
  readonly subresource?: string;
  /** Expressions by name, which other expressions read as `variables.NAME`. Each may use those before it. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly params?: PolicyParams;
  /** Expressions by name. The policy applies only to requests for which all of them are true. */
  readonly matchConditions?: Readonly<Record<string, string>>;
  /** Default: every namespace. */
  readonly namespaceSelector?: LabelSelector;
  /** Default: every object. */
  readonly objectSelector?: LabelSelector;
  /** Default `Fail`: an expression that fails refuses the request. With `Ignore` it has no effect. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
}

/** Describes a policy and its binding for `definePolicy`. */
export interface PolicyOptions extends PolicyTarget {
  /** Default: `CREATE` and `UPDATE`. */
  readonly operations?: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT')[];
  readonly rules: readonly PolicyRule[];
  /** The effects of a violation. Default `Deny`. */
  readonly actions?: readonly ('Deny' | 'Warn' | 'Audit')[];
}

/** One change of the objects that a policy applies to. */
export interface PolicyMutation {
  /**
   * An expression of the type `Object`, which is merged into the object as server-side apply does, or a list of `JSONPatch`.
   * Its variables are those of `PolicyRule.cel`.
   */
  readonly cel: string;
}

/** Describes a policy and its binding for `defineMutatingPolicy`. */
export interface MutatingPolicyOptions extends PolicyTarget {
  /** Default: `CREATE` and `UPDATE`. */
  readonly operations?: readonly ('CREATE' | 'UPDATE')[];
  /** The changes, each of which gets the object as the one before left it. */
  readonly mutations: readonly PolicyMutation[];
  /** `IfNeeded` evaluates the policy again if later policies or webhooks changed the object. Default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A token, or a kind with its definition. */
export type PolicyResource =
  | ApiResource
  | { readonly resource: ApiResource; readonly crd: CustomResourceDefinition };

/** Returns the token of a resource. */
export function tokenOf(resource: PolicyResource): ApiResource {
  return 'crd' in resource ? resource.resource : resource;
}
