import { join } from 'node:path';
import { readRoles, type ObservedRules } from '@keelson/envtest';
import type { AnyWebhook } from '@keelson/webhook';
import { CliError } from '../../errors.ts';
import { loadPolicies, type PolicyObjects } from '../../project/policy-modules.ts';
import { loadWebhooks } from '../../project/webhook-modules.ts';
import type { Project } from '../../project/project.ts';
import {
  readCustomKind,
  type CustomKind,
  type JsonObject,
} from '../../types/definition/custom-kind.ts';
import { placeholderService } from './placeholder-service.ts';
import { readDashboards, type ProjectDashboard } from './project-dashboards.ts';
import { Failures } from '../../terminal/failures.ts';
import { readLocal } from '../../types/sources/local-files.ts';
import type { SourceFile } from '../../types/sources/source-file.ts';

/** The files of a project that its manifests contain. */
export interface OperatorSources {
  readonly definitions: readonly Definition[];
  readonly roles: ObservedRules;
  /** The webhooks of the modules of the project. Default: none. */
  readonly webhooks?: readonly AnyWebhook[];
  /** The policies of the modules of the project. Default: none. */
  readonly policies?: readonly PolicyObjects[];
  /** The Grafana dashboards of the project. Default: none. */
  readonly dashboards?: readonly ProjectDashboard[];
}

/** A CustomResourceDefinition as its file has it, and its checked names. */
export interface Definition {
  readonly object: JsonObject;
  readonly kind: CustomKind;
}

/**
 * Reads the CRDs and the roles of a project. A Role without namespace gets that of the operator. Throws
 * `DEFINITIONS_NOT_FOUND` if a project with kinds has no CRDs, `INVALID_PROJECT` if a conversion has no webhook,
 * `ROLES_NOT_FOUND`, `WEBHOOKS_NOT_FOUND`, `POLICIES_NOT_FOUND`, `DASHBOARD_INVALID`, and an `AggregateError` with the error of
 * each file of CRDs that is invalid.
 */
export async function readSources(project: Project): Promise<OperatorSources> {
  const definitions = await readDefinitions(project);
  requireWebhook(project, definitions);
  const roles = await readRoles(join(project.folder, project.roles), project.namespace);
  const { modules = [] } = project.webhook ?? {};
  const webhooks = await loadWebhooks(project.folder, modules);
  const policies = await loadPolicies(project.folder, project.policies);
  const dashboards = await readDashboards(join(project.folder, project.dashboards));
  return { definitions, roles, webhooks, policies, dashboards };
}

/** A definition that the operator converts needs its webhook server. */
function requireWebhook({ folder, webhook }: Project, definitions: readonly Definition[]): void {
  const converted = definitions.find(({ object }) => placeholderService(object) !== undefined);
  if (webhook !== undefined || converted === undefined) return;
  const { plural, group } = converted.kind;
  const reason = `must be there: the conversion of ${plural}.${group} needs the webhook of the operator`;
  const file = join(folder, 'package.json');
  throw new CliError('INVALID_PROJECT', { file, member: 'keelson.webhook', reason });
}

/** Reads the CRD files of a project. */
export async function readDefinitions(project: Project): Promise<readonly Definition[]> {
  const folder = join(project.folder, project.crds);
  const failures = new Failures();
  const definitions: Definition[] = [];
  for (const file of await readLocal(folder).catch(noneIfMissing)) {
    if ('error' in file) failures.add(file.error);
    else definitions.push(...(await definitionsOf(file, failures)));
  }
  // The files of the manifests refer to each other, so that none is written without the others.
  failures.throwAny();
  const needsKinds = project.kinds.length > 0 || project.webhook?.path !== undefined;
  if (definitions.length === 0 && needsKinds) {
    throw new CliError('DEFINITIONS_NOT_FOUND', { source: folder });
  }
  return definitions;
}

async function definitionsOf(
  { source, definitions }: Extract<SourceFile, { readonly definitions: unknown }>,
  failures: Failures,
): Promise<readonly Definition[]> {
  const found = definitions.map((object) =>
    failures.attempt(
      () => ({ object: object as JsonObject, kind: readCustomKind(object) }),
      source,
    ),
  );
  return (await Promise.all(found)).filter((definition) => definition !== undefined);
}

/** An operator of built-in kinds has no folder of definitions. */
function noneIfMissing(error: unknown): readonly SourceFile[] {
  const cause = error instanceof CliError ? (error.cause as NodeJS.ErrnoException) : undefined;
  if (cause?.code === 'ENOENT') return [];
  throw error;
}
