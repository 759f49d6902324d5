import type { Expression, Statement } from '@babel/types';
import { CliError } from '../../errors.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import { importPath } from '../kinds/project-kinds.ts';
import { memberObject, memberValue, SourceModule } from '../source/source-module.ts';
import { webhookServerCode, type WebhookNames } from './webhook-code.ts';

/**
 * Serves a webhook in the program: its manager gets a webhook server, unless it has one, and the webhook before it starts. Throws
 * `PLACE_NOT_FOUND` unless the main module makes the manager with `servers`, and starts it.
 */
export async function serveWebhook(
  draft: ProjectDraft,
  { constant }: WebhookNames,
  { module: webhookModule, server }: { readonly module: string; readonly server: string },
): Promise<void> {
  const { main, webhook } = draft.project;
  const module = SourceModule.parse(main, await draft.read(main));
  const start = module.statements.find(startedName);
  const manager = start && startedName(start);
  const declaration = module.declarationsOf(() => true).find(({ name }) => name === manager);
  const servers = declaration?.args
    .filter((argument) => argument.type === 'ObjectExpression')
    .map((options) => memberObject(options, 'servers'))
    .find((options) => options !== undefined);
  if (start === undefined || manager === undefined || servers === undefined) {
    const wanted =
      'the declaration "const operator = createOperator({ …, servers: { … } })" and the statement "await operator.start()"';
    throw new CliError('PLACE_NOT_FOUND', { file: main, wanted });
  }
  if (memberValue(servers, 'webhook') === undefined) {
    await draft.create(server, webhookServerCode(webhook?.port ?? 9443));
    module.import(importPath(main, server), ['webhookServer']);
    module.insertMember(servers, 'webhook: webhookServer');
  }
  module.import(importPath(main, webhookModule), [constant]);
  module.insertAbove(start, [`${manager}.addWebhook(${constant});`]);
  draft.replace(main, module.text);
}

/** The name in the statement `await NAME.start()`. */
function startedName(statement: Statement): string | undefined {
  if (statement.type !== 'ExpressionStatement') return undefined;
  const call = awaited(statement.expression);
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = call.callee;
  const isStart = property.type === 'Identifier' && property.name === 'start';
  return isStart && object.type === 'Identifier' ? object.name : undefined;
}

function awaited(expression: Expression): Expression {
  return expression.type === 'AwaitExpression' ? expression.argument : expression;
}
