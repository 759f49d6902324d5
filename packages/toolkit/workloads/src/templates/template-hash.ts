import { canonicalJson } from '../objects/equal-json.ts';

/** The characters that Kubernetes uses in generated names: no vowels, so that no words arise. */
const SAFE_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/**
 * A short name of a template: the FNV-1a hash of its JSON and of the count of collisions. kube-controller-manager hashes
 * the text of a Go struct, so its hashes of the same template differ from these.
 */
export function templateHash(template: unknown, collisionCount: number | undefined): string {
  const text = `${canonicalJson(template)}${collisionCount ?? ''}`;
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  return Array.from(String(hash), (digit) => SAFE_CHARACTERS.charAt(digit.charCodeAt(0) % 27)).join(
    '',
  );
}
