import { describe, expect, test } from '@jest/globals';
import { completeChoices } from './ask.ts';
import type { Prompts } from './prompts.ts';

/** Prompts with these choices; an empty one chooses the default. Keeps the questions. */
function scripted(...script: string[]): { readonly prompts: Prompts; readonly asked: string[] } {
  const asked: string[] = [];
  const prompts: Prompts = {
    async text({ message, initial, validate }) {
      asked.push(message);
      const choice = script.shift() || initial;
      expect(validate(choice)).toBeUndefined();
      return choice;
    },
    async select({ message, options }) {
      asked.push(message);
      return script.shift() || (options[0]?.value ?? '');
    },
  };
  return { prompts, asked };
}

describe('completeChoices', () => {
  test('asks four questions', async () => {
    const { prompts, asked } = scripted('ops/order-operator', 'sales.example', 'Order', 'webhook');
    expect(await completeChoices({}, prompts)).toEqual({
      folder: 'ops/order-operator',
      choices: {
        name: 'order-operator',
        group: 'sales.example',
        kind: 'Order',
        plural: 'orders',
        variant: 'webhook',
      },
    });
    expect(asked).toHaveLength(4);
  });

  test('has a valid default for each question', async () => {
    const { prompts } = scripted('', '', '', '');
    const { choices } = await completeChoices({}, prompts);
    expect(choices).toMatchObject({ name: 'my-operator', kind: 'Website', variant: 'plain' });
  });

  test('does not ask for given choices', async () => {
    const { prompts, asked } = scripted('Order');
    const given = { folder: 'a', group: 'sales.example', plural: 'order', variant: 'external' };
    const { choices } = await completeChoices(given, prompts);
    expect(choices).toMatchObject({ kind: 'Order', plural: 'order', variant: 'external' });
    expect(asked).toEqual(['Which kind?']);
  });

  test('refuses an empty folder, such as that of an unset variable', async () => {
    await expect(completeChoices({ folder: '' }, undefined)).rejects.toMatchObject({
      code: 'CHOICE_INVALID',
      facts: { choice: 'name', value: '' },
    });
  });

  test('refuses a given choice before the first question', async () => {
    const { prompts, asked } = scripted();
    await expect(completeChoices({ group: 'shop' }, prompts)).rejects.toMatchObject({
      code: 'CHOICE_INVALID',
    });
    expect(asked).toEqual([]);
  });

  test('refuses an choice to a question with the reason', async () => {
    const questions: ((value: string) => string | undefined)[] = [];
    const { prompts } = scripted('', '', '', '');
    await completeChoices(
      {},
      {
        ...prompts,
        text(question) {
          questions.push(question.validate);
          return prompts.text(question);
        },
      },
    );
    const problems = ['../Orders', 'shop', 'order'].map((value, index) =>
      questions[index]?.(value),
    );
    expect(problems).toEqual([
      expect.stringContaining('DNS label'),
      expect.stringContaining('with a dot'),
      expect.stringContaining('UpperCamelCase'),
    ]);
  });

  test('without prompts chooses the variant plain, and names the missing choices', async () => {
    const given = { folder: 'a', group: 'sales.example', kind: 'Order' };
    expect((await completeChoices(given, undefined)).choices.variant).toBe('plain');
    await expect(completeChoices({ kind: 'Order' }, undefined)).rejects.toMatchObject({
      code: 'CHOICES_MISSING',
      facts: { missing: 'FOLDER --group' },
    });
  });
});
