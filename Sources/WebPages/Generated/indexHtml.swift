// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `Packaging/page-assets`.

extension GeneratedAssets {
  static let indexHtml = #"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><!--hedge:title--></title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/app.css">
<script type="module" src="/app.js"></script>
</head>
<body>
<a class="skip" href="#list">Skip to the list</a>
<header class="top">
<button type="button" id="nav-toggle" class="icon-button scripted" aria-label="Lists" aria-controls="nav" aria-expanded="false"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h10"/></svg></button>
<a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 20V9c0-4 3-6 6-6v5c0 4-2 6-6 6m9 6V12c0-4 4-6 9-6v3c0 5-4 7-9 7M2 20.5h20"/></svg>hedgerow</a>
<div id="search-place" class="search scripted" role="search"></div>
<p id="chip" role="status"></p>
</header>
<div class="frame">
<nav id="nav" aria-label="Lists"><!--hedge:lists--></nav>
<!--hedge:main-->
</div>
</body>
</html>

"""#
}
