import { describe, expect, test } from '@jest/globals';
import { objectWords } from './object-words.ts';

describe('objectWords', () => {
  test.each([
    [['cm'], 'cm', []],
    [['cm', 'a', 'b'], 'cm', ['a', 'b']],
    [['cm/a'], 'cm', ['a']],
    [['clusterroles.rbac.authorization.k8s.io', 'system:a'], undefined, ['system:a']],
  ])('reads %j', (words, type = words[0], names) => {
    expect(objectWords(words)).toEqual({ type, names });
  });

  test.each([
    [['cm/a/status'], 'must have the form RESOURCE/NAME'],
    [['cm//'], 'must have the form RESOURCE/NAME'],
    [['cm/', 'a'], 'must be the only argument'],
    [['cm/a', 'b'], 'must be the only argument'],
    [['cm/a', 'cm/b'], 'must be the only argument'],
    [['cm/'], "the name '' "],
    [['cm', 'a', ''], "the name '' "],
    [['cm', 'a/status'], "the name 'a/status' "],
    [['cm', '..'], "the name '..' "],
    [['cm/a%2Fb'], "the name 'a%2Fb' "],
    [['/a'], 'a resource must not be empty'],
    [[''], 'a resource must not be empty'],
  ])('refuses %j', (words, problem) => {
    expect(objectWords(words)).toEqual(expect.stringContaining(problem));
  });
});
