import type { ApiResource, StatusCause } from '@keelson/apimachinery';
import { SchemaError } from '../errors.ts';

/** An object that its kind does not accept. `causes` has every error with its path, in the words of kube-apiserver. */
export class InvalidObjectError extends SchemaError {
  override readonly name: string = 'InvalidObjectError';
  readonly causes: readonly StatusCause[];

  constructor(
    { kind }: Pick<ApiResource, 'kind'>,
    object: unknown,
    causes: readonly StatusCause[],
  ) {
    super('OBJECT_INVALID', { kind, name: nameOf(object), causes: causes.map(textOf).join('; ') });
    this.causes = causes;
  }
}

function textOf({ field, message }: StatusCause): string {
  return field === undefined || field === '' ? (message ?? '') : `${field}: ${message}`;
}

function nameOf(object: unknown): string | undefined {
  const { metadata } = (object ?? {}) as { metadata?: { name?: unknown } | null };
  return typeof metadata?.name === 'string' ? metadata.name : undefined;
}
