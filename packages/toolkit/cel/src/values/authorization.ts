import { type CelType, objectType } from '../types/cel-type.ts';
import { LibraryValue } from './value.ts';

/** The resource that an expression asks about. Members without a value are empty. */
export interface AskedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** Answers the authorization checks of an expression for one user. */
export interface ExpressionAuthorizer {
  /** Decides about a request to a path or a resource. */
  decide(
    verb: string,
    asked: { readonly path: string } | AskedResource,
  ): { readonly allowed: boolean; readonly reason: string };
  /** Returns the authorizer of a service account. */
  of(account: { readonly namespace: string; readonly name: string }): ExpressionAuthorizer;
}

/** The type of the variable `authorizer`. */
export const authorizerType: CelType = authorizationType('Authorizer');
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType: CelType = authorizationType('ResourceCheck');

function authorizationType(name: string): CelType {
  return objectType(`kubernetes.authorization.${name}`);
}

/** A value that only its functions can read. */
abstract class AuthorizationValue extends LibraryValue {
  readonly type: CelType;
  readonly goType = 'library.receiverOnlyObjectVal';
  readonly native = undefined;

  constructor(type: CelType) {
    super();
    this.type = type;
  }

  override toString(): string {
    return this.type.name;
  }
}

/** The value of the variable `authorizer`. */
export class AuthorizerValue extends AuthorizationValue {
  readonly authorizer: ExpressionAuthorizer;

  constructor(authorizer: ExpressionAuthorizer) {
    super(authorizerType);
    this.authorizer = authorizer;
  }

  of(account: { readonly namespace: string; readonly name: string }): AuthorizerValue {
    return new AuthorizerValue(this.authorizer.of(account));
  }
}

export class PathCheck extends AuthorizationValue {
  readonly #authorizer: AuthorizerValue;
  readonly #path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super(authorizationType('PathCheck'));
    this.#authorizer = authorizer;
    this.#path = path;
  }

  decide(verb: string): AuthorizationDecision {
    return new AuthorizationDecision(
      this.#authorizer.authorizer.decide(verb, { path: this.#path }),
    );
  }
}

export class GroupCheck extends AuthorizationValue {
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super(authorizationType('GroupCheck'));
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** A check of a resource; also the value of the variable `authorizer.requestResource`. */
export class ResourceCheck extends AuthorizationValue {
  readonly #authorizer: AuthorizerValue;
  readonly #asked: AskedResource;

  constructor(authorizer: AuthorizerValue, asked: AskedResource) {
    super(resourceCheckType);
    this.#authorizer = authorizer;
    this.#asked = asked;
  }

  with(part: Partial<AskedResource>): ResourceCheck {
    return new ResourceCheck(this.#authorizer, { ...this.#asked, ...part });
  }

  decide(verb: string): AuthorizationDecision {
    return new AuthorizationDecision(this.#authorizer.authorizer.decide(verb, this.#asked));
  }
}

export class AuthorizationDecision extends AuthorizationValue {
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: { readonly allowed: boolean; readonly reason: string }) {
    super(authorizationType('Decision'));
    this.allowed = allowed;
    this.reason = reason;
  }
}
