import { checkOptions, invalidOption, type Status, type StatusCause } from '@keelson/apimachinery';

/** The HTTP code, the reason and the causes of a denial. */
export interface DenyOptions {
  /** The HTTP code that the user receives, from 400 to 599. Default: 422 with causes, else 403. */
  readonly code?: number;
  /** The reason for machines, such as `Invalid`. Default: that of the code. */
  readonly reason?: string;
  /** The single faults, such as one of each invalid field. */
  readonly causes?: readonly StatusCause[];
}

/** Identifies the denials of every copy of this package. */
const brand: unique symbol = Symbol.for('keelson.webhook.denial') as never;

/** The refusal of a request, which a handler returns. `deny` makes it. */
export interface Denial {
  readonly [brand]: true;
  readonly status: Status;
}

/** The reasons that kube-apiserver gives for these codes. */
const reasons: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

/**
 * Refuses the reviewed request: return it from a handler. The user reads the message behind "admission webhook … denied
 * the request". Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { builtin, createManager, deny } from '@keelson/manager';
 *
 * createManager({ servers: { webhook: { port: 9443, tls: 'self-signed' } } }).addWebhook({
 *   name: 'replicas.example.com',
 *   resource: builtin.Deployment,
 *   validate: ({ object }) => {
 *     if ((object.spec?.replicas ?? 1) <= 10) return undefined;
 *     return deny('at most 10 replicas', {
 *       causes: [{ field: 'spec.replicas', message: 'at most 10' }],
 *     });
 *   },
 * });
 * ```
 */
export function deny(message: string, options: DenyOptions = {}): Denial {
  if (typeof message !== 'string' || message === '') {
    throw invalidOption('deny.message', 'must be a text');
  }
  checkOptions(options, ['code', 'reason', 'causes'], 'deny');
  const { causes = [] } = options;
  const { code = causes.length > 0 ? 422 : 403 } = options;
  const { reason = reasons.get(code) ?? '' } = options;
  if (!Number.isInteger(code) || code < 400 || code > 599) {
    throw invalidOption('deny.code', 'must be an HTTP code from 400 to 599');
  }
  if (typeof reason !== 'string') throw invalidOption('deny.reason', 'must be a text');
  checkCauses(causes);
  return {
    [brand]: true,
    status: {
      status: 'Failure',
      code,
      message,
      ...(reason !== '' && { reason }),
      ...(causes.length > 0 && { details: { causes: causes.map((cause) => ({ ...cause })) } }),
    },
  };
}

/** True for a result of `deny`. */
export function isDenial(value: unknown): value is Denial {
  return typeof value === 'object' && value !== null && brand in value;
}

function checkCauses(causes: readonly StatusCause[]): void {
  if (!Array.isArray(causes)) throw invalidOption('deny.causes', 'must be a list');
  for (const [index, cause] of causes.entries()) {
    checkOptions(cause, ['reason', 'message', 'field'], `deny.causes[${index}]`);
    const texts: readonly unknown[] = [cause.reason, cause.message, cause.field];
    if (!texts.every((text) => text === undefined || typeof text === 'string')) {
      throw invalidOption(`deny.causes[${index}]`, 'must have texts');
    }
  }
}
