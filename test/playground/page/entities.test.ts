import type { MessageEntity } from 'grammy/types'
import { expect, test } from 'vitest'
import {
  nestEntities,
  type TextNode,
  trimAroundBlocks,
} from '../../../src/playground/page/messages/entities.ts'

test('entities one within the other become a tree, in any order', () => {
  const nodes = nestEntities('all bold italic end', [
    { type: 'italic', offset: 9, length: 6 },
    { type: 'bold', offset: 4, length: 11 },
  ])

  expect(nodes.map(draw).join('')).toBe('all <bold>bold <italic>italic</italic></bold> end')
})

test('an entity around another of the same length holds it', () => {
  const same: MessageEntity[] = [
    { type: 'bold', offset: 0, length: 3 },
    { type: 'code', offset: 0, length: 3 },
  ]

  expect(nestEntities('abc', same).map(draw).join('')).toBe('<bold><code>abc</code></bold>')
})

test('an entity that sticks out of the one before it, or of the text, loses no characters', () => {
  const nodes = nestEntities('abcdef', [
    { type: 'bold', offset: 0, length: 4 },
    { type: 'italic', offset: 2, length: 40 },
    { type: 'code', offset: 99, length: 2 },
  ])

  expect(nodes.map(draw).join('')).toBe('<bold>ab<italic>cd</italic></bold>ef')
})

test('offsets count as Telegram counts: two for a character outside of the first plane', () => {
  const nodes = nestEntities('😀 bold', [{ type: 'bold', offset: 3, length: 4 }])

  expect(nodes.map(draw).join('')).toBe('😀 <bold>bold</bold>')
})

test('the line breaks around a block are its own, and no others', () => {
  const text = 'before\n\ncode\n\nafter'
  const nodes = nestEntities(text, [{ type: 'pre', offset: 8, length: 4 }])

  expect(trimAroundBlocks(nodes).map(draw).join('')).toBe('before\n<pre>code</pre>\nafter')
})

function draw(node: TextNode): string {
  if (typeof node === 'string') return node
  const { type } = node.entity
  return `<${type}>${node.inside.map(draw).join('')}</${type}>`
}
