import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { act } from './connection.ts';

/** Sends actions of a controller, and shows the result of the last one to all readers. */
export function useActions(controller: string): {
  readonly send: (action: string, more?: Readonly<Record<string, string>>) => void;
  readonly result: JSX.Element;
} {
  const [text, setText] = useState('');
  const send = (action: string, more: Readonly<Record<string, string>> = {}): void => {
    setText('');
    act({ do: action, controller, ...more }).then(
      () => setText(`${action}: done`),
      (error: unknown) => setText(`${action}: ${String(error)}`),
    );
  };
  return { send, result: <output aria-live="polite">{text}</output> };
}
