// What the page can do without this file it does: these are short cuts. "/" goes to the box, j and k walk the results.
const box = document.getElementById('q')

function step(by) {
  const hits = [...document.querySelectorAll('a.hit')]
  const at = hits.indexOf(document.activeElement)
  const next = hits[at === -1 ? (by > 0 ? 0 : hits.length - 1) : at + by]
  next?.focus()
}

document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLElement && event.target.closest('input, select, textarea') !== null
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return
  if (event.key === '/') {
    event.preventDefault()
    box?.focus()
    box?.select()
  } else if (event.key === 'j') step(1)
  else if (event.key === 'k') step(-1)
})

// Pictures that their site does not give (any more) leave no broken sign behind.
document.addEventListener(
  'error',
  (event) => {
    if (event.target instanceof HTMLImageElement) event.target.classList.add('gone')
  },
  true,
)
