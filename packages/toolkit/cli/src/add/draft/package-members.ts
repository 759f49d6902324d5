import type { ProjectDraft } from './project-draft.ts';

/** The member `keelson` of `package.json`, which `readProject` has checked. */
export interface KeelsonMembers {
  kinds?: string[];
  policies?: string[];
  webhook?: { port?: number; path?: string; modules?: string[] };
}

/** Changes the member `keelson` of `package.json`. The order of the others and the indentation stay. */
export async function changePackage(
  draft: ProjectDraft,
  change: (keelson: KeelsonMembers) => void,
): Promise<void> {
  const path = 'package.json';
  const text = await draft.read(path);
  const content = text.replace(/^\uFEFF/, '');
  const manifest = JSON.parse(content) as { keelson?: KeelsonMembers };
  const before = JSON.stringify(manifest);
  manifest.keelson ??= {};
  change(manifest.keelson);
  if (JSON.stringify(manifest) === before) return;
  const indent = /^[ \t]+/m.exec(content)?.[0] ?? '  ';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  draft.replace(path, `${JSON.stringify(manifest, null, indent)}\n`.replaceAll('\n', lineEnd));
}

/** Adds a path to a list unless it is there. */
export function withPath(list: readonly string[] | undefined, path: string): string[] {
  const present = list ?? [];
  const isThere = present.some((one) => one.replace(/^\.\//, '') === path);
  return isThere ? [...present] : [...present, path];
}
