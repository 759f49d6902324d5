import { posix } from 'node:path';
import { CliError } from '../../errors.ts';
import { operatorOf } from '../../manifests/operator/operator.ts';
import { changePackage, withPath } from '../draft/package-members.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { codeFolder, importPath, kindExports, type ProjectKind } from '../kinds/project-kinds.ts';
import { serveWebhook } from './serve-webhook.ts';
import { webhookCode, webhookNames, webhookTestCode, type WebhookSort } from './webhook-code.ts';

const DEFAULT_PORT = 9443;

/**
 * Adds a webhook for a kind, its test, its call in the program and its path in `package.json`. Returns the path of its module
 * if the project has it already. Throws `PLACE_NOT_FOUND` and `FILE_EXISTS`.
 */
export async function addWebhook(
  draft: ProjectDraft,
  kind: ProjectKind,
  { sort, spec }: { readonly sort: WebhookSort; readonly spec: () => Promise<object> },
): Promise<string | undefined> {
  const { project } = draft;
  const names = webhookNames(kind, sort);
  const folder = codeFolder(project);
  const module = posix.join(folder, `${names.name}.ts`);
  if (project.webhook?.modules?.includes(module) === true) return module;
  if (project.webhook?.path !== undefined) {
    const wanted = 'keelson.webhook.modules, or no keelson.webhook: a path excludes declarations';
    throw new CliError('PLACE_NOT_FOUND', { file: 'package.json', wanted });
  }
  await kindExports(draft, kind);
  const { name: operator } = operatorOf(project);
  const kindModule = importPath(module, kind.module);
  await draft.create(module, webhookCode(kind, sort, { kindModule, operator }));
  await serveWebhook(draft, names, { module, server: posix.join(folder, 'webhook-server.ts') });
  const { crds } = project;
  const test = webhookTestCode(kind, sort, { kindModule, operator, crds, spec: await spec() });
  await draft.create(posix.join(folder, `${names.name}.test.ts`), test);
  await changePackage(draft, (keelson) => {
    const { port = DEFAULT_PORT, modules } = keelson.webhook ?? {};
    keelson.webhook = { port, modules: withPath(modules, module) };
  });
  return undefined;
}
