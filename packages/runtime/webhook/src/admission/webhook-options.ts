import type { ApiResource, KubernetesObject, LabelSelector } from '@keelson/apimachinery';
import type {
  MutateArguments,
  MutateResult,
  ObjectIn,
  ValidateArguments,
  ValidateResult,
  WebhookResource,
} from './handler-arguments.ts';
import type { Operation } from './operation.ts';

/**
 * A kind with a schema that validates more than the API server: the result of `defineKind` of `@keelson/schema`
 * satisfies it. `parse` throws an error with `causes` for an object that the schema refuses.
 */
export interface ValidatedKind<R extends ApiResource = ApiResource> {
  readonly resource: R;
  parse(
    object: unknown,
    options?: { readonly old?: object; readonly unknownFields?: 'error' | 'drop' },
  ): KubernetesObject | Promise<KubernetesObject>;
}

/** A CEL expression. If it is false the API server does not call the webhook. */
export interface MatchCondition {
  /** A qualified name, unique in the webhook. */
  readonly name: string;
  readonly expression: string;
}

/** The members of a webhook's registration that the API server applies before it calls the webhook. */
export interface RegistrationOptions {
  /** The scope of the reviewed objects. Default: that of the kinds; `*` for kinds of both scopes. */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
  /** The path of the webhook's URL. Default: `/validate/NAME` or `/mutate/NAME`. */
  readonly path?: string;
  /** The seconds that the API server waits for a response, from 1 to 30. Default 10. */
  readonly timeoutSeconds?: number;
  /** Whether the API server refuses or permits a request that the webhook did not review. Default `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** `NoneOnDryRun` if the handler changes something beside the object, except in a dry run. Default `None`. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** `Equivalent` also reviews requests for other versions of the kinds, converted. Default `Equivalent`. */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  /** CEL expressions that must all be true for a review. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Selects the namespaces of the objects. Default: all but `kube-system` and the namespace of the operator. */
  readonly namespaceSelector?: LabelSelector;
  /** Selects the objects by their labels. Default: all. */
  readonly objectSelector?: LabelSelector;
  /** `IfNeeded` calls a mutating webhook again if later ones changed the object. Default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** An admission webhook: which requests the API server sends to it, and the handler that decides about them. */
export interface WebhookOptions<
  R extends WebhookResource = WebhookResource,
  Op extends Operation = Operation,
  Subresource extends string | undefined = string | undefined,
> extends RegistrationOptions {
  /** A DNS subdomain such as `cronjobs`, unique in the manager. */
  readonly name: string;
  /** The token of the reviewed kind, several tokens, or `'*'` for every kind. Excludes `kind`. */
  readonly resource?: R;
  /**
   * A kind of `defineKind`. Its schema validates the objects of CREATE and UPDATE, with the refinements of the library
   * that a CRD cannot express. Excludes `resource` and `mutate`.
   */
  readonly kind?: ValidatedKind<Extract<R, ApiResource>>;
  /** Default: CREATE and UPDATE. */
  readonly operations?: readonly Op[];
  /** The subresource that is reviewed, such as `status` or `scale`, instead of the objects themselves. */
  readonly subresource?: Subresource & string;
  /** Decides about a request: nothing allows it, `deny(…)` refuses it. Excludes `mutate`. */
  readonly validate?: (
    review: ValidateArguments<ObjectIn<R, Subresource>, Op>,
  ) => ValidateResult | Promise<ValidateResult>;
  /** Changes the object, or returns a changed one, before the API server validates it. Excludes `validate`. */
  readonly mutate?: (
    review: MutateArguments<ObjectIn<R, Subresource>, Op>,
  ) => MutateResult<ObjectIn<R, Subresource>> | Promise<MutateResult<ObjectIn<R, Subresource>>>;
}
