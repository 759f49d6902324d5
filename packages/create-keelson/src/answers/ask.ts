import { basename, resolve } from 'node:path';
import { CreateError } from '../errors.ts';
import { variants } from '../template/variant.ts';
import { pluralOf, type Answers } from './answers.ts';
import { checkAnswer, problemOf } from './check-answers.ts';
import type { Prompts } from './prompts.ts';

/** The answers of the command line; the others are asked for. */
export interface GivenAnswers {
  readonly folder?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly plural?: string | undefined;
  readonly variant?: string | undefined;
}

/** The answers, and the folder of the project. */
export interface CompleteAnswers {
  readonly folder: string;
  readonly answers: Answers;
}

/**
 * Asks for the answers that are not given: the folder, the group, the kind and the variant. Without prompts the variant
 * is `plain` by default, and the others are required: throws `ANSWERS_MISSING`. Throws `ANSWER_INVALID` before the first
 * question.
 */
export async function completeAnswers(
  given: GivenAnswers,
  prompts: Prompts | undefined,
): Promise<CompleteAnswers> {
  checkGiven(given);
  const { folder, group, kind, variant } =
    prompts === undefined ? withDefaults(given) : await ask(given, prompts);
  const { plural = pluralOf(kind) } = given;
  const name = basename(resolve(folder));
  return { folder, answers: { name, group, kind, plural, variant: variant as Answers['variant'] } };
}

function checkGiven({ folder, ...others }: GivenAnswers): void {
  if (folder !== undefined) checkAnswer('name', basename(resolve(folder)));
  for (const answer of ['group', 'kind', 'plural', 'variant'] as const) {
    if (others[answer] !== undefined) checkAnswer(answer, others[answer]);
  }
}

type Asked = Readonly<Record<'folder' | 'group' | 'kind' | 'variant', string>>;

function withDefaults({ folder, group, kind, variant = 'plain' }: GivenAnswers): Asked {
  if (folder !== undefined && group !== undefined && kind !== undefined) {
    return { folder, group, kind, variant };
  }
  const flags = [
    ...(folder === undefined ? ['FOLDER'] : []),
    ...(group === undefined ? ['--group'] : []),
    ...(kind === undefined ? ['--kind'] : []),
  ];
  throw new CreateError('ANSWERS_MISSING', { missing: flags.join(' ') });
}

async function ask(given: GivenAnswers, prompts: Prompts): Promise<Asked> {
  const folder =
    given.folder ??
    (await prompts.text({
      message: 'In which folder? Its name is the name of the operator.',
      initial: 'my-operator',
      validate: (value) => problemOf.name(basename(resolve(value))),
    }));
  const group =
    given.group ??
    (await prompts.text({
      message: 'Which API group has the kind? A domain that you own.',
      initial: 'shop.example',
      validate: problemOf.group,
    }));
  const kind =
    given.kind ??
    (await prompts.text({
      message: 'What is the kind?',
      initial: 'Website',
      validate: problemOf.kind,
    }));
  const variant =
    given.variant ??
    (await prompts.select({
      message: 'Which variant?',
      options: Object.entries(variants).map(([value, hint]) => ({ value, hint })),
    }));
  return { folder, group, kind, variant };
}
