import { describe, expect, test } from '@jest/globals';
import { partialObjects } from '../presentation/presentation.ts';
import { EventFrames } from './event-frames.ts';

const [one, other] = [Buffer.from('one\n'), Buffer.from('other\n')];

describe('EventFrames', () => {
  test('joins the events of watches that send the same ones once', () => {
    const frames = new EventFrames(partialObjects('meta.k8s.io/v1'));
    const joined = frames.join([one, other]);
    expect(joined.toString()).toBe('one\nother\n');
    expect(frames.join([one, other])).toBe(joined);
    expect(frames.join([one, Buffer.from('third\n')]).toString()).toBe('one\nthird\n');
    expect(frames.join([one, other, one]).toString()).toBe('one\nother\none\n');
  });

  test('does not copy a single event', () => {
    const frames = new EventFrames(partialObjects('meta.k8s.io/v1'));
    expect(frames.join([one])).toBe(one);
  });
});
