export type PdfParts = {
  title?: string
  author?: string
  created?: string
  /** Pages of lines; a line may have a font size. */
  pages: { text: string; size?: number }[][]
  link?: string
}

/** A small valid PDF 1.4 with one base font: ISO 32000-1, 7.5, made by hand. Text is Latin-1. */
export function makePdf({ title, author, created, pages, link }: PdfParts): Uint8Array {
  const objects: string[] = []
  const add = (body: string): number => objects.push(body)
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ')
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  for (const [i, lines] of pages.entries()) {
    const note =
      link === undefined
        ? ''
        : `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${link}) >> >>]`
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R ${note} >>`,
    )
    let y = 740
    const drawn = lines.map(({ text, size = 12 }) => {
      y -= text === '' ? 24 : size * 1.2
      return `BT /F1 ${size} Tf 72 ${y.toFixed(1)} Td (${escape(text)}) Tj ET`
    })
    const stream = drawn.join('\n')
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
  }
  const info = Object.entries({ Title: title, Author: author, CreationDate: created })
  const infoId = add(
    `<< ${info.map(([key, value]) => (value === undefined ? '' : `/${key} (${escape(value)})`)).join(' ')} >>`,
  )
  return Buffer.from(assemble(objects, infoId), 'latin1')
}

function escape(text: string): string {
  return text.replaceAll(/[\\()]/g, String.raw`\$&`)
}

function assemble(objects: string[], infoId: number): string {
  let file = '%PDF-1.4\n'
  const places = objects.map((body, i) => {
    const place = file.length
    file += `${i + 1} 0 obj\n${body}\nendobj\n`
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return `${file}xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R /Info ${infoId} 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
}
