import type { AskedResource, ExpressionAuthorizer, Value } from '@keelson/cel/internal';

/** The objects that expressions of one request read. */
export interface InputObjects {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  readonly namespaceObject: unknown;
  readonly params: unknown;
}

/** The values of the variables of an expression. Each is converted once, when the first expression reads it. */
export class ExpressionInput {
  readonly authorizer: ExpressionAuthorizer;
  /** The resource of the request, for `authorizer.requestResource`. */
  readonly requestResource: AskedResource;
  /** The lists and maps of the objects. Those that an expression makes are not in it. */
  readonly containers: WeakSet<object> = new WeakSet();
  readonly #objects: InputObjects;
  readonly #values = new Map<string, Value>();

  constructor(
    objects: InputObjects,
    access: { readonly authorizer: ExpressionAuthorizer; readonly requestResource: AskedResource },
  ) {
    this.#objects = objects;
    this.authorizer = access.authorizer;
    this.requestResource = access.requestResource;
  }

  /** Returns the value of a variable; `null` for an object that the request does not have. */
  value(name: keyof InputObjects, convert: (given: unknown) => Value): Value {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = convert(this.#objects[name] ?? null);
    this.#values.set(name, value);
    return value;
  }

  /** Returns the input with other parameters. */
  withParams(params: unknown): ExpressionInput {
    return new ExpressionInput({ ...this.#objects, params }, this);
  }
}
