import type { Report, Result } from '../conformance.ts'
import { countOf, writeRequest } from './write-lines.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Writes a run as JUnit XML, which CI servers show: each rule is a test case, one that was not seen is skipped. */
export function writeJunit({ results, seconds }: Report): string {
  const attributes = [
    'name="conformance"',
    `tests="${results.length}"`,
    `failures="${countOf(results, 'failed')}"`,
    `skipped="${countOf(results, 'not seen')}"`,
    `time="${seconds.toFixed(3)}"`,
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite ${attributes.join(' ')}>`,
    ...results.map(writeCase),
    '</testsuite>',
    '',
  ].join('\n')
}

function writeCase({ rule, outcome, asked, seen, requests }: Result): string {
  const said = `message="${escapeXml(seen)}"`
  const outcomes = {
    passed: '',
    failed: `<failure ${said}>${escapeXml(`asked: ${asked}`)}</failure>`,
    'not seen': `<skipped ${said}/>`,
  }
  const lines = escapeXml(requests.map(writeRequest).join('\n'))
  const out = lines === '' ? '' : `<system-out>${lines}</system-out>`
  return `  <testcase classname="conformance" name="${escapeXml(rule)}">${outcomes[outcome]}${out}</testcase>`
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}
