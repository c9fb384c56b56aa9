import type { Extraction, FetchedPage } from './fetched-page.ts'
import { extractPage, type ExtractInput } from './extract-page.ts'
import { extractPdf } from './pdf/extract-pdf.ts'
import { extractPlainText } from './extract-plain-text.ts'
import { joinHeaders } from './join-headers.ts'

/** A fetched page of any kind becomes a document, by the rules of its kind. Rejects only on a fault of ours. */
export async function extract(page: FetchedPage): Promise<Extraction> {
  if (page.text === undefined) return await extractPdf(page)
  const input = inputOf(page, page.text)
  const isPlain = /^text\/(?:plain|markdown)\b/i.test(page.contentType.trim()) && !looksLikeHtml(page.text)
  return { kind: 'document', document: isPlain ? extractPlainText(input) : extractPage(input) }
}

function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<!doctype html|<html\b)/i.test(text.slice(0, 1_000))
}

function inputOf(page: FetchedPage, html: string): ExtractInput {
  const { url, contentType, fetchedAt, firstSeenAt } = page
  return { url, html, contentType, fetchedAt, firstSeenAt, headers: joinHeaders(page.headers) }
}
