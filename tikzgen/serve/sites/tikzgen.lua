-- Code blocks of the class `tikzgen` become pictures: a filter for Quarto and pandoc. `tikzgen` is to be on the PATH.
--
--     ```{.tikzgen width=8.4 caption="Who talks to whom" #fig-talk}
--     recipe: data-parallel
--     ```
--
-- `caption` and `alt` are the picture's; every other attribute is an override of the spec, as --set takes it.

local printed = FORMAT:match("latex") or FORMAT:match("beamer") or FORMAT:match("pdf")
local suffix, kind = "svg", "image/svg+xml"
if printed then
  suffix, kind = "pdf", "application/pdf"
elseif FORMAT:match("docx") or FORMAT:match("pptx") or FORMAT:match("odt") then
  suffix, kind = "png", "image/png"
end

local function drawn(block)
  local words = { "build", "-", "-o", "-", "--quiet", "--engine", "none", "--format", suffix }
  for name, value in pairs(block.attributes) do
    if name ~= "caption" and name ~= "alt" then
      table.insert(words, "--set")
      table.insert(words, name .. "=" .. value)
    end
  end
  local done, picture = pcall(pandoc.pipe, "tikzgen", words, block.text)
  if done then
    return picture
  end
  -- the words of the command stand on stderr, above this
  local failure = picture
  if type(failure) == "table" and failure.error_code then
    failure = "tikzgen ended with status " .. failure.error_code
  end
  error("a figure could not be drawn: " .. tostring(failure) .. "\n" .. block.text, 0)
end

-- What the figure says of itself, as far as the picture's form tells it.
local function described(picture)
  local text = suffix == "svg" and picture:match("<desc[^>]*>(.-)</desc>") or ""
  return (text:gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&#x27;", "'"):gsub("&amp;", "&"))
end

function CodeBlock(block)
  if not block.classes:includes("tikzgen") then
    return nil
  end
  local picture = drawn(block)
  local name = "tikzgen-" .. pandoc.utils.sha1(picture):sub(1, 16) .. "." .. suffix
  pandoc.mediabag.insert(name, kind, picture)
  local caption = block.attributes.caption or ""
  local said = pandoc.read(caption, "markdown").blocks
  local inlines = said[1] and said[1].content or {}
  local alt = block.attributes.alt or pandoc.utils.stringify(inlines)
  if alt == "" then
    alt = described(picture)
  end
  local image = pandoc.Image(alt, name, "", { class = "tikzgen" })
  if caption == "" then
    return pandoc.Para({ image })
  end
  if pandoc.Figure then
    return pandoc.Figure({ pandoc.Plain({ image }) }, { long = { pandoc.Plain(inlines) } }, { id = block.identifier })
  end
  return pandoc.Para({ pandoc.Image(inlines, name, "fig:", { id = block.identifier }) })
end
