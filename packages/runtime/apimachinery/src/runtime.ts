import { CodedError } from './coded-error.ts';
import { apimachineryErrors } from './errors.ts';

/**
 * Throws `UNSUPPORTED_RUNTIME` in Bun: its TLS connections end in other ways than those of Node.js, and no guarantee is
 * tested there. Accepts Deno.
 */
export function checkRuntime(): void {
  const version = process.versions['bun'];
  if (version === undefined) return;
  const facts = { runtime: 'Bun', version };
  throw new CodedError('UNSUPPORTED_RUNTIME', apimachineryErrors.UNSUPPORTED_RUNTIME, facts);
}
