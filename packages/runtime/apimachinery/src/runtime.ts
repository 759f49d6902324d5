import { CodedError } from './coded-error.ts';
import { apimachineryErrors } from './errors.ts';

/**
 * Throws `UNSUPPORTED_RUNTIME` in Bun, where connections over TLS end in other ways than in Node.js, and where no guarantee
 * is tested. Deno is accepted.
 */
export function checkRuntime(): void {
  const version = process.versions['bun'];
  if (version === undefined) return;
  const facts = { runtime: 'Bun', version };
  throw new CodedError('UNSUPPORTED_RUNTIME', apimachineryErrors.UNSUPPORTED_RUNTIME, facts);
}
