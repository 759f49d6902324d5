import { describe, expect, test } from '@jest/globals';
import { recordingTerminal, type Colours } from './recording-terminal.test-support.ts';

function complained(colours: Colours): string {
  const { terminal, err } = recordingTerminal(colours);
  terminal.complain('a');
  return err();
}

describe('a complaint', () => {
  test('is red on a terminal', () => {
    expect(complained({ isTTY: true })).toBe('\u001b[31ma\u001b[39m\n');
  });

  test('has no colour in a pipe or a file', () => {
    expect(complained({ isTTY: false, hasColors: true })).toBe('a\n');
  });

  test('has no colour on a terminal without colours, such as with NO_COLOR', () => {
    expect(complained({ isTTY: true, hasColors: false })).toBe('a\n');
  });
});

test('shows control characters of names as text, except in text that is written as it is', () => {
  const { terminal, out, err } = recordingTerminal();
  terminal.print('a\u001b[2J\tb\nc\r');
  terminal.complain('\u0000\u009b');
  terminal.write('\r');
  expect(out()).toBe('a\\u001b[2J\tb\nc\\u000d\n\r');
  expect(err()).toBe('\\u0000\\u009b\n');
});

test('shows characters that hide or reorder a line as text', () => {
  const { terminal, out } = recordingTerminal();
  terminal.print('safe\u202egnp.exe\u200b\u2066\ufeff é 日本 👍');
  expect(out()).toBe('safe\\u202egnp.exe\\u200b\\u2066\\ufeff é 日本 👍\n');
});

test('a result has no colour', () => {
  const { terminal, out } = recordingTerminal({ isTTY: true });
  terminal.print('a');
  terminal.write('b');
  expect(out()).toBe('a\nb');
});
